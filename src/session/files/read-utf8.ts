import { readFileSync } from "node:fs";
import { errorOf } from "../../wire/errors.ts";
import { issueLine } from "../../yaml/file-issue.ts";
import { utf8Issue } from "../../yaml/utf8-issue.ts";

/**
 * The text of a file that a person wrote. In any other encoding its letters would be replaced without a word: a rule would fit
 * nothing, and the model would read something else.
 * @throws `invalid_params` with file, line and column when it is not UTF-8; as `readFileSync` when it cannot be read.
 */
export function readUtf8(path: string): string {
  const bytes = readFileSync(path);
  const issue = utf8Issue(bytes);
  if (!issue) return bytes.toString("utf8");
  throw errorOf("invalid_params", issueLine(path, issue), {
    hint: "Save the file as UTF-8.",
    data: { path, ...issue.position },
  });
}

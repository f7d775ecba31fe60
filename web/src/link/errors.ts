import { visibleString } from "../characters/visible-characters.ts";
import type { ClaudeCodeError } from "agent-switchboard/wire";
import { t, wordsOfError } from "../words/words.ts";

/** An error of the program, with a code of its table. */
export const isProgramError = (error: unknown): error is ClaudeCodeError =>
  error instanceof Error && "code" in error && typeof error.code === "string";

/** What a person is told of a failure: in their language by its code, then in the program's words, which have the facts. */
export function explain(error: unknown): string {
  if (!isProgramError(error)) {
    return error instanceof Error ? visibleString(error.message) : t("error.unknown");
  }
  const words = wordsOfError(error.code);
  const own = visibleString(error.message);
  return words === undefined ? own : t("error.known", { words, own });
}

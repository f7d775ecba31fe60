import { visibleString } from "../characters/visible-characters.ts";
import type { ClaudeCodeError } from "agent-switchboard/wire";
import { t, wordFor } from "../words/words.ts";

/** An error of the program, with a code of its table. */
export const isProgramError = (error: unknown): error is ClaudeCodeError =>
  error instanceof Error && "code" in error && typeof error.code === "string";

/** What a person is told of a failure: in their language when the page knows the code, else in the program's words. */
export function explain(error: unknown): string {
  if (!isProgramError(error)) {
    return error instanceof Error ? visibleString(error.message) : t("error.unknown");
  }
  return wordFor("error", error.code) ?? visibleString(error.message);
}

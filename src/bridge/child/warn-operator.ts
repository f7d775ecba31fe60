import { writeSync } from "node:fs";
import { ClaudeCodeError } from "../../wire/errors.ts";

/** Writes a line to standard error, where the CLI keeps a server's messages for people. Never throws. */
export function warnOperator(what: unknown): void {
  try {
    writeSync(2, `${wordsOf(what)}\n`);
  } catch {
    // Standard error is closed or blocked: not a reason to stop serving.
  }
}

function wordsOf(what: unknown): string {
  return what instanceof ClaudeCodeError
    ? `${what.name}: ${what.message} ${what.hint}`
    : String(what);
}

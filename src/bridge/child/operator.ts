import { writeSync } from "node:fs";
import { ClaudeCodeError } from "../../wire/errors.ts";

/** A line on standard error, where the CLI keeps what a server has to say to people. Never throws. */
export function tellOperator(what: unknown): void {
  try {
    writeSync(2, `${wordsOf(what)}\n`);
  } catch {
    // Nobody reads it, or not now: no reason to stop serving.
  }
}

function wordsOf(what: unknown): string {
  return what instanceof ClaudeCodeError
    ? `${what.name}: ${what.message} ${what.hint}`
    : String(what);
}

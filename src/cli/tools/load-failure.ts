import { runToEnd } from "../../proc/run-to-end.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { ErrorPlace } from "./error-position.ts";
import { placeInStack, placeText, syntaxPlace } from "./error-position.ts";

const CHECK_MS = 10_000;

/** What a person reads when a file of tools cannot be loaded: where, why, and what to do next. */
export async function loadFailure(file: string, thrown: unknown): Promise<ClaudeCodeError> {
  const place = await placeOf(file, thrown);
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  const where = place === undefined ? file : placeText(place);
  return errorOf("invalid_params", `${where}: ${why}`, { cause: thrown, hint: hintFor(thrown) });
}

async function placeOf(file: string, thrown: unknown): Promise<ErrorPlace | undefined> {
  if (!(thrown instanceof Error)) return undefined;
  const place = placeInStack(thrown.stack ?? "");
  // For a syntax error in a module, Node reports the location only when asked to check the file.
  if (place || !(thrown instanceof SyntaxError) || !/\.m?js$/.test(file)) return place;
  const args = ["--check", file];
  const { err } = await runToEnd({ command: process.execPath, args, timeoutMs: CHECK_MS });
  return syntaxPlace(err);
}

function hintFor(thrown: unknown): string {
  if (thrown instanceof ClaudeCodeError) return thrown.hint;
  const code: unknown = thrown instanceof Error && "code" in thrown && thrown.code;
  if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") {
    return "Install the missing package beside the file. You need not install agent-switchboard and zod: this program has them.";
  }
  if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") {
    return "Node only removes types: write a const object in place of an enum, or compile the file first.";
  }
  return "Correct the file at that place, and start again.";
}

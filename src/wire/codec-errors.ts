import type { ClaudeCodeError } from "./errors.ts";
import { errorOf } from "./errors.ts";
import { decodeUtf8Leniently, invalidUtf8Offset } from "./utf8.ts";

const EXCERPT_BYTES = 60;

/** `what` names the message and the known part of its size, as in "A line of at least 9 bytes". */
export function messageTooLarge(what: string, size: number, limit: number): ClaudeCodeError {
  const message = `${what} is over the limit of ${limit} bytes.`;
  return errorOf("message_too_large", message, { data: { size, limit } });
}

export function notSerialisable(why: string, cause?: unknown): ClaudeCodeError {
  return errorOf("not_serialisable", `The value has no JSON form: ${printable(why)}.`, { cause });
}

export function invalidUtf8(bytes: Uint8Array, cause: unknown): ClaudeCodeError {
  const offset = invalidUtf8Offset(bytes);
  const message = `Invalid UTF-8 at byte ${offset} of ${bytes.length}. ${beginningOf(bytes)}`;
  return errorOf("parse_error", message, { cause });
}

export function invalidJson(bytes: Uint8Array, cause: unknown): ClaudeCodeError {
  const message = `Invalid JSON: ${printable(wordsOf(cause))}. ${beginningOf(bytes)}`;
  return errorOf("parse_error", message, { cause });
}

export function streamCutOff(where: string): ClaudeCodeError {
  return errorOf("connection_lost", `The stream ended ${where}.`, {
    hint: "The last message is incomplete and was dropped. Reconnect and send it again.",
  });
}

export function wordsOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

function beginningOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return "The message is empty.";
  const beginning = printable(decodeUtf8Leniently(bytes.subarray(0, EXCERPT_BYTES)));
  return `The message begins: ${beginning}${bytes.length > EXCERPT_BYTES ? "…" : ""}`;
}

/** A peer's text ends up in logs and terminals: one line, without control characters. */
function printable(text: string): string {
  return text
    .replaceAll(/[\t\n\r ]+/g, " ")
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (unseen) => `\\u{${unseen.codePointAt(0)?.toString(16)}}`);
}

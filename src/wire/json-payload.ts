import {
  invalidJson,
  invalidUtf8,
  messageTooLarge,
  notSerialisable,
  wordsOf,
} from "./codec-errors.ts";
import type { ClaudeCodeError } from "./errors.ts";
import type { JsonValue } from "./json.ts";
import type { Room } from "./utf8.ts";
import { decodeUtf8, encodeUtf8Within } from "./utf8.ts";

/** The most bytes of one message in any framing, without its header or line end. */
export const MAX_MESSAGE_BYTES = 10_485_760;

export type Parsed = { ok: true; value: JsonValue } | { ok: false; error: ClaudeCodeError };

/** Reads one message. Invalid UTF-8 and invalid JSON are returned as `parse_error`; nothing is thrown. */
export function parseJson(bytes: Uint8Array): Parsed {
  let text: string;
  try {
    text = decodeUtf8(bytes);
  } catch (cause) {
    return { ok: false, error: invalidUtf8(bytes, cause) };
  }
  try {
    return { ok: true, value: JSON.parse(text) as JsonValue };
  } catch (cause) {
    return { ok: false, error: invalidJson(bytes, cause) };
  }
}

const NO_ROOM: Room = { before: 0, behind: 0 };

/**
 * Writes one message as one line of JSON in UTF-8.
 *
 * @param room stays free around it, and does not count.
 * @throws `not_serialisable` where `JSON.stringify` returns undefined or throws (undefined, a function, a BigInt, a
 * cycle), `message_too_large` over `maxBytes`.
 */
export function encodeJson(
  value: unknown,
  maxBytes = MAX_MESSAGE_BYTES,
  room = NO_ROOM,
): Uint8Array {
  const text = stringify(value);
  // A character is at least one byte, so a text this long is refused without encoding it.
  if (text.length > maxBytes) {
    throw messageTooLarge(`A message of at least ${text.length} bytes`, text.length, maxBytes);
  }
  const bytes = encodeUtf8Within(room, text);
  const size = bytes.length - room.before - room.behind;
  if (size > maxBytes) throw messageTooLarge(`A message of ${size} bytes`, size, maxBytes);
  return bytes;
}

function stringify(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw notSerialisable(wordsOf(cause), cause);
  }
  if (text === undefined) throw notSerialisable(`it is of type ${typeof value}`);
  // JSON allows both inside strings, but some readers take them for line ends.
  return text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

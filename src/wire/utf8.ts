import { takeMemory } from "./byte-slab.ts";

const encoder = new TextEncoder();
// A byte order mark is kept as part of the text: JSON has none, so its parser refuses it.
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** Free bytes on both sides of a text, for a header before it and an end after it. */
export interface Room {
  readonly before: number;
  readonly behind: number;
}

/** Encodes the text in its final place, so that a message needs no second copy for its framing. */
export function encodeUtf8Within({ before, behind }: Room, text: string): Uint8Array {
  // As many bytes as characters: right for ASCII, which most messages are, and otherwise too few.
  const bytes = takeMemory(before + text.length + behind);
  const { read, written } = encoder.encodeInto(text, bytes.subarray(before, before + text.length));
  if (read === text.length) return bytes;
  const rest = encoder.encode(text.slice(read));
  const larger = takeMemory(before + written + rest.length + behind);
  larger.set(bytes.subarray(0, before + written));
  larger.set(rest, before + written);
  return larger;
}

/** @throws TypeError on invalid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => strict.decode(bytes);

/** Never throws: U+FFFD replaces invalid bytes. */
export const decodeUtf8Leniently = (bytes: Uint8Array): string => lenient.decode(bytes);

/** Where invalid bytes begin. The decoders do not report it, but a repaired copy first differs there. */
export function invalidUtf8Offset(bytes: Uint8Array): number {
  const repaired = encoder.encode(lenient.decode(bytes));
  let at = 0;
  while (at < bytes.length && bytes[at] === repaired[at]) at += 1;
  return at;
}

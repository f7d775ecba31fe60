const encoder = new TextEncoder();
// A byte order mark is kept as part of the text: JSON has none, so its parser will refuse it.
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

export const encodeUtf8 = (text: string): Uint8Array => encoder.encode(text);

/** @throws TypeError on invalid UTF-8. */
export const decodeUtf8 = (bytes: Uint8Array): string => strict.decode(bytes);

/** Never throws: U+FFFD stands where the bytes are wrong. */
export const decodeUtf8Leniently = (bytes: Uint8Array): string => lenient.decode(bytes);

/** Where invalid bytes begin. The decoders do not say, but a repaired copy first differs there. */
export function invalidUtf8Offset(bytes: Uint8Array): number {
  const repaired = encoder.encode(lenient.decode(bytes));
  let at = 0;
  while (at < bytes.length && bytes[at] === repaired[at]) at += 1;
  return at;
}

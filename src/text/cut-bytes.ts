/** As much of the beginning of a text as fits into `maxBytes` bytes of UTF-8, in whole characters. */
export function cutBytes(text: string, maxBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(maxBytes, 0)));
  return text.slice(0, read);
}

/** Where the first whole character begins in bytes of UTF-8 whose beginning may be the rest of another one. */
export function firstCharacter(bytes: Uint8Array): number {
  const start = bytes.findIndex((byte, index) => index > 3 || (byte & 0xc0) !== 0x80);
  // No character has more than three bytes after its first: four of them are not UTF-8.
  if (start > 3) return 0;
  return start === -1 ? bytes.length : start;
}

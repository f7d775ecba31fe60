const cuts = [0, 8, 12, 16, 20, 32];

/**
 * A UUID made of the first 16 bytes of a digest, so that the same name always gives the same UUID. Version 5 is for a
 * SHA-1 of a name, version 8 for rules of one's own.
 */
export function uuidOfDigest(digest: Uint8Array, version: 5 | 8): string {
  return uuidOf(digest.slice(0, 16), version);
}

/** A random UUID. `crypto.randomUUID` is missing in a page that was loaded over plain http. */
export const randomUuid = (): string => uuidOf(crypto.getRandomValues(new Uint8Array(16)), 4);

function uuidOf(bytes: Uint8Array, version: number): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return cuts
    .slice(1)
    .map((end, index) => hex.slice(cuts[index], end))
    .join("-");
}

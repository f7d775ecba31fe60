/** The bytes that a request asks for: from the first to the last one, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads the header `Range` for content of this size. Undefined means all of it, also for several ranges, which a server
 * need not serve; null means that the range is outside.
 */
export function rangeOf(header: string | undefined, bytes: number): ByteRange | null | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? "");
  if (!found) return undefined;
  const [, from = "", to = ""] = found;
  if (from === "" && to === "") return undefined;
  const first = from === "" ? Math.max(bytes - Number(to), 0) : Number(from);
  const last = from === "" || to === "" ? bytes - 1 : Math.min(Number(to), bytes - 1);
  return first <= last ? { first, last } : null;
}

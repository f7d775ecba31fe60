const PREFIX = Buffer.from('{"seq":');
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;

/** The bytes of a line that hold its number. */
export const LINE_HEAD_BYTES = PREFIX.length + 17;

/** The number with which the line at `start` begins; undefined if there is none. */
export function lineSeq(bytes: Uint8Array, start = 0): number | undefined {
  for (let at = 0; at < PREFIX.length; at += 1) {
    if (bytes[start + at] !== PREFIX[at]) return undefined;
  }
  let seq = 0;
  let at = start + PREFIX.length;
  for (; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < DIGIT_0 || byte > DIGIT_9) break;
    seq = seq * 10 + byte - DIGIT_0;
  }
  return at > start + PREFIX.length && at < bytes.length ? seq : undefined;
}

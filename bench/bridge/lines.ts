import type { Readable } from "node:stream";

const NEWLINE = 0x0a;

/** Lines by hand, as tight as they can be. */
export function takeLines(stream: Readable, take: (line: Buffer) => void): void {
  let parts: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      parts.push(rest.subarray(0, end));
      take(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
      parts = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
  });
}

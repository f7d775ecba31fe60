import { PartialMessage } from "../../wire/partial-message.ts";

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;

/** Cuts the bytes of a server at 0x0A and leaves everything else as it is. Our servers keep each line below the bound. */
export class LineCutter {
  readonly #maxBytes: number;
  readonly #line = new PartialMessage();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that this chunk completes. A line within one chunk is a view of it. Undefined when a line is too long. */
  push(chunk: Uint8Array): Uint8Array[] | undefined {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      if (this.#line.length + end - start > this.#maxBytes) return undefined;
      lines.push(this.#line.completeWith(chunk.subarray(start, end)));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (this.#line.length + rest.length > this.#maxBytes) return undefined;
    if (rest.length > 0) this.#line.append(rest, this.#maxBytes);
    return lines;
  }
}

/** One frame as one line. Line ends inside it become blanks: legal JSON has them only between tokens. */
export function lineOfFrame(frame: Uint8Array): Uint8Array {
  const line = new Uint8Array(frame.length + 1);
  line.set(frame);
  blank(line, NEWLINE);
  blank(line, CARRIAGE_RETURN);
  line[frame.length] = NEWLINE;
  return line;
}

function blank(line: Uint8Array, byte: number): void {
  for (let at = line.indexOf(byte); at >= 0; at = line.indexOf(byte, at + 1)) line[at] = BLANK;
}

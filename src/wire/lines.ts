import { messageTooLarge, streamCutOff } from "./codec-errors.ts";
import type { ClaudeCodeError } from "./errors.ts";
import { takeMemory } from "./byte-slab.ts";
import { PartialMessage } from "./partial-message.ts";
import { encodeJson, MAX_MESSAGE_BYTES } from "./json-payload.ts";
import type { Split, Splitter } from "./splitter.ts";

const TAB = 0x09;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;

const ROOM = { before: 0, behind: 1 };
const NOTHING = new Uint8Array(0);

/** @throws as `encodeJson` does, before anything could have been written. */
export function encodeLine(value: unknown, maxBytes = MAX_MESSAGE_BYTES): Uint8Array {
  const line = encodeJson(value, maxBytes, ROOM);
  line[line.length - 1] = NEWLINE;
  return line;
}

/**
 * Makes a line of finished JSON bytes. Newlines become spaces: in valid JSON they are only between tokens. @throws
 * `message_too_large` over `maxBytes`.
 */
export function lineBytes(json: Uint8Array, maxBytes = MAX_MESSAGE_BYTES): Uint8Array {
  if (json.length > maxBytes) throw lineTooLarge(json.length, maxBytes);
  const line = takeMemory(json.length + 1);
  line.set(json);
  line[json.length] = NEWLINE;
  let at = line.indexOf(NEWLINE);
  while (at < json.length) {
    line[at] = SPACE;
    at = line.indexOf(NEWLINE, at);
  }
  return line;
}

/**
 * Splits JSON Lines at byte 0x0A only. A carriage return before it is not part of the line, blank lines are not
 * messages, and an oversized line is skipped up to its newline.
 */
export class LineSplitter implements Splitter {
  readonly #maxBytes: number;
  /** Includes a final carriage return, which the bound does not count. */
  readonly #maxRawBytes: number;
  readonly #line = new PartialMessage();
  #skipping = false;

  constructor(maxBytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes;
    this.#maxRawBytes = maxBytes + 1;
  }

  push(chunk: Uint8Array): Split[] {
    const found: Split[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const last = chunk.subarray(start, end);
      if (this.#hasRoomFor(last, found)) this.#endLine(last, found);
      this.#skipping = false;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (this.#hasRoomFor(rest, found)) this.#line.append(rest, this.#maxRawBytes);
    return found;
  }

  end(): ClaudeCodeError | undefined {
    const { length } = this.#line;
    // A line that is being skipped has had its error, and none of it is held.
    if (isBlank(this.#line.completeWith(NOTHING))) return undefined;
    return streamCutOff(`after ${length} bytes of a line, before its newline`);
  }

  /** The first time there is none, the line gets its one error; the rest of it is skipped. */
  #hasRoomFor(part: Uint8Array, found: Split[]): boolean {
    if (this.#skipping) return false;
    const size = this.#line.length + part.length;
    if (size <= this.#maxRawBytes) return true;
    found.push({ ok: false, error: lineTooLarge(size, this.#maxBytes) });
    this.#line.discard();
    this.#skipping = true;
    return false;
  }

  #endLine(last: Uint8Array, found: Split[]): void {
    const bytes = withoutCarriageReturn(this.#line.completeWith(last));
    if (bytes.length > this.#maxBytes) {
      found.push({ ok: false, error: lineTooLarge(bytes.length, this.#maxBytes) });
    } else if (!isBlank(bytes)) {
      found.push({ ok: true, bytes });
    }
  }
}

const lineTooLarge = (size: number, limit: number): ClaudeCodeError =>
  messageTooLarge(`A line of at least ${size} bytes`, size, limit);

const withoutCarriageReturn = (line: Uint8Array): Uint8Array =>
  line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;

const isBlank = (line: Uint8Array): boolean =>
  line.every((byte) => byte === SPACE || byte === TAB || byte === CARRIAGE_RETURN);

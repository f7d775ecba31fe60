import { messageTooLarge, streamCutOff } from "./codec-errors.ts";
import type { ClaudeCodeError } from "./errors.ts";
import { takeMemory } from "./byte-slab.ts";
import { PartialMessage } from "./partial-message.ts";
import { encodeJson, MAX_MESSAGE_BYTES } from "./json-payload.ts";
import type { Split, Splitter } from "./splitter.ts";

/** A frame is the length of its body as a big-endian uint32, then the body. */
const HEADER_BYTES = 4;
const ROOM = { before: HEADER_BYTES, behind: 0 };

/** @throws as `encodeJson` does, before anything could have been written. */
export function encodeFrame(value: unknown, maxBytes = MAX_MESSAGE_BYTES): Uint8Array {
  const frame = encodeJson(value, maxBytes, ROOM);
  writeHeader(frame);
  return frame;
}

/** Puts finished bytes into a frame. @throws `message_too_large` over `maxBytes`. */
export function frameBytes(body: Uint8Array, maxBytes = MAX_MESSAGE_BYTES): Uint8Array {
  if (body.length > maxBytes) throw frameTooLarge(body.length, maxBytes);
  const frame = takeMemory(HEADER_BYTES + body.length);
  writeHeader(frame);
  frame.set(body, HEADER_BYTES);
  return frame;
}

/** By hand: creating a DataView takes longer than writing four bytes. */
function writeHeader(frame: Uint8Array): void {
  const length = frame.length - HEADER_BYTES;
  frame[0] = length >>> 24;
  frame[1] = length >>> 16;
  frame[2] = length >>> 8;
  frame[3] = length;
}

/** Splits a stream of frames. An oversized frame is refused by its header and skipped by its length. */
export class FrameSplitter implements Splitter {
  readonly #maxBytes: number;
  readonly #body = new PartialMessage();
  #headerBytes = 0;
  /** The length in the header, as far as it was read, minus the body bytes that have arrived. */
  #missingBytes = 0;
  #skipping = false;

  constructor(maxBytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): Split[] {
    const found: Split[] = [];
    let at = 0;
    for (;;) {
      for (; this.#headerBytes < HEADER_BYTES; at += 1) {
        const byte = chunk[at];
        if (byte === undefined) return found;
        this.#readHeader(byte, found);
      }

      const part = chunk.subarray(at, at + this.#missingBytes);
      if (part.length < this.#missingBytes) {
        this.#hold(part);
        return found;
      }
      if (!this.#skipping) found.push({ ok: true, bytes: this.#body.completeWith(part) });
      at += part.length;
      this.#startOver();
    }
  }

  end(): ClaudeCodeError | undefined {
    // A frame that is being skipped has had its error.
    if (this.#headerBytes === 0 || this.#skipping) return undefined;
    if (this.#headerBytes < HEADER_BYTES) return streamCutOff("inside the header of a frame");
    const arrived = this.#body.length;
    return streamCutOff(`after ${arrived} of the ${arrived + this.#missingBytes} bytes of a frame`);
  }

  #readHeader(byte: number, found: Split[]): void {
    // Shifts, not `* 256`: the field then stays an integer for the engine, which is three times faster.
    this.#missingBytes = ((this.#missingBytes << 8) | byte) >>> 0;
    this.#headerBytes += 1;
    if (this.#headerBytes < HEADER_BYTES || this.#missingBytes <= this.#maxBytes) return;
    found.push({ ok: false, error: frameTooLarge(this.#missingBytes, this.#maxBytes) });
    this.#skipping = true;
  }

  #hold(part: Uint8Array): void {
    if (!this.#skipping) this.#body.append(part, this.#body.length + this.#missingBytes);
    this.#missingBytes -= part.length;
  }

  #startOver(): void {
    this.#headerBytes = 0;
    this.#missingBytes = 0;
    this.#skipping = false;
  }
}

const frameTooLarge = (size: number, limit: number): ClaudeCodeError =>
  messageTooLarge(`A frame of ${size} bytes`, size, limit);

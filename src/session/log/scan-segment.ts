import { readSync } from "node:fs";
import { isRecord } from "../../wire/json.ts";
import { MAX_MESSAGE_BYTES, parseJson } from "../../wire/json-payload.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { damaged } from "./log-errors.ts";

const CHUNK_BYTES = 1_048_576;
const NEWLINE = 0x0a;

/** A position between two lines, and the number of the event after it. */
export interface SegmentOffset {
  offset: number;
  seq: number;
}

/**
 * Reads the events of a file from a line's start to the end of the file. The caller handles what follows the last
 * newline. Returns the position after the last line, and that line's size, 0 for none. @throws `log_damaged` on a
 * line that is not an event or is out of order.
 */
export function scanSegment(
  fd: number,
  path: string,
  start: SegmentOffset,
  onEvent: (event: SessionEvent) => void,
): SegmentOffset & { lastLineBytes: number } {
  let { offset, seq } = start;
  let lastLineBytes = 0;
  let size = CHUNK_BYTES;
  for (;;) {
    const chunk = Buffer.alloc(size);
    const bytes = chunk.subarray(0, readSync(fd, chunk, 0, size, offset));
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      const event = readEvent(bytes.subarray(from, end), path, offset + from);
      if (event.seq !== seq) {
        throw damaged(path, offset + from, `expected event ${seq}, found ${event.seq}`);
      }
      onEvent(event);
      seq += 1;
      lastLineBytes = end + 1 - from;
      from = end + 1;
    }
    offset += from;
    if (bytes.length < size) return { offset, seq, lastLineBytes };
    if (from > 0) size = CHUNK_BYTES;
    else if (size > 2 * MAX_MESSAGE_BYTES) throw damaged(path, offset, "a line is not terminated");
    else size *= 2;
  }
}

/** Checks only what every event has: a later version may have written types that this one lacks. */
function readEvent(line: Uint8Array, path: string, offset: number): SessionEvent {
  const parsed = parseJson(line);
  if (!parsed.ok) throw damaged(path, offset, parsed.error.message);
  const { value } = parsed;
  if (
    !isRecord(value) ||
    !Number.isSafeInteger(value["seq"]) ||
    typeof value["type"] !== "string"
  ) {
    throw damaged(path, offset, "the line is not an event");
  }
  return value as unknown as SessionEvent;
}

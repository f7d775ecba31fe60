import { readSync } from "node:fs";
import { isRecord } from "../../wire/json.ts";
import { MAX_MESSAGE_BYTES, parseJson } from "../../wire/payload.ts";
import type { SessionEvent } from "../../wire/session-events.ts";
import { damaged } from "./log-errors.ts";

const CHUNK_BYTES = 1_048_576;
const NEWLINE = 0x0a;

export interface ScanStart {
  offset: number;
  /** The number that the first line there must have; undefined where it may be any. */
  seq: number | undefined;
}

export interface ScanEnd {
  /** The end of the last whole line. */
  offset: number;
  /** Number of the next event; undefined when there was none and no start was given. */
  seq: number | undefined;
  /** The last whole line, without its newline. */
  lastLine: Uint8Array | undefined;
}

/**
 * Reads the events of a file from a line's start to the end of the file. What stands after the last newline
 * is left to the caller. @throws `log_damaged` on a line that is no event or is out of order.
 */
export function scanSegment(
  fd: number,
  path: string,
  start: ScanStart,
  onEvent: (event: SessionEvent) => void,
): ScanEnd {
  let { offset, seq } = start;
  let lastLine: Uint8Array | undefined;
  let size = CHUNK_BYTES;
  for (;;) {
    const chunk = Buffer.alloc(size);
    const bytes = chunk.subarray(0, readSync(fd, chunk, 0, size, offset));
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
      lastLine = bytes.subarray(from, end);
      const event = readEvent(lastLine, path, offset + from);
      if (seq !== undefined && event.seq !== seq) {
        throw damaged(path, offset + from, `event ${seq} was due, not ${event.seq}`);
      }
      onEvent(event);
      seq = event.seq + 1;
      from = end + 1;
    }
    offset += from;
    if (bytes.length < size) return { offset, seq, lastLine };
    if (from > 0) size = CHUNK_BYTES;
    else if (size > 2 * MAX_MESSAGE_BYTES) throw damaged(path, offset, "a line has no end");
    else size *= 2;
  }
}

/** Only what every event has is checked: a later version may have written types that this one lacks. */
function readEvent(line: Uint8Array, path: string, offset: number): SessionEvent {
  const parsed = parseJson(line);
  if (!parsed.ok) throw damaged(path, offset, parsed.error.message);
  const { value } = parsed;
  if (
    !isRecord(value) ||
    !Number.isSafeInteger(value["seq"]) ||
    typeof value["type"] !== "string"
  ) {
    throw damaged(path, offset, "the line is no event");
  }
  return value as unknown as SessionEvent;
}

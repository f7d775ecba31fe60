import { closeSync, openSync, read } from "node:fs";
import { promisify } from "node:util";
import { MAX_MESSAGE_BYTES } from "../../wire/json-payload.ts";
import { lineSeq } from "./seq-of-line.ts";
import type { LogBatch } from "./event-draft.ts";
import { damaged } from "./log-errors.ts";
import type { SegmentRange } from "./seek-line.ts";
import { seekLine } from "./seek-line.ts";

const BATCH_BYTES = 262_144;
const NEWLINE = 0x0a;
const CLOSING_BRACE = 0x7d;

const readAt = promisify(read);

/**
 * The lines from number `seq` to the end. Opens the file before the first await, so that it may be renamed meanwhile.
 * @throws `log_damaged` when a line is missing or is not an event.
 */
export async function* readSegment(segment: SegmentRange, seq: number): AsyncGenerator<LogBatch> {
  const fd = openSync(segment.path, "r");
  try {
    yield* readOpenSegment(fd, segment, seq);
  } finally {
    closeSync(fd);
  }
}

/** The same from an open file. */
async function* readOpenSegment(
  fd: number,
  segment: SegmentRange,
  seq: number,
): AsyncGenerator<LogBatch> {
  const { path, end } = segment;
  let offset = seekLine(fd, segment, seq);
  let due = seq;
  while (offset < end) {
    const bytes = await readLines(fd, path, offset, end);
    const batch = batchOf(bytes, due, path, offset);
    yield batch;
    offset += bytes.length;
    due = batch.lastSeq + 1;
  }
}

/** Complete lines, as many as fit into a batch, or one that is longer. */
async function readLines(
  fd: number,
  path: string,
  offset: number,
  end: number,
): Promise<Uint8Array> {
  for (let size = BATCH_BYTES; size <= 4 * MAX_MESSAGE_BYTES; size *= 2) {
    const chunk = Buffer.allocUnsafeSlow(Math.min(size, end - offset));
    const { bytesRead } = await readAt(fd, chunk, 0, chunk.length, offset);
    const last = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (last >= 0) return chunk.subarray(0, last + 1);
    if (bytesRead < size) break;
  }
  throw damaged(path, offset, "a line is not terminated");
}

/** Damage would reach every client, so each line must begin with its number and end like an object. */
function batchOf(bytes: Uint8Array, due: number, path: string, offset: number): LogBatch {
  let seq = due;
  for (let start = 0; start < bytes.length; seq += 1) {
    const end = bytes.indexOf(NEWLINE, start);
    if (lineSeq(bytes, start) !== seq || bytes[end - 1] !== CLOSING_BRACE) {
      throw damaged(path, offset + start, `expected event ${seq}, found something else`);
    }
    start = end + 1;
  }
  return { firstSeq: due, lastSeq: seq - 1, bytes };
}

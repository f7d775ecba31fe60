import { closeSync, openSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { MAX_MESSAGE_BYTES, parseJson } from "../../wire/json-payload.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { lineSeq } from "./seq-of-line.ts";
import { damaged } from "./log-errors.ts";
import type { SegmentRange } from "./seek-line.ts";
import { seekLine } from "./seek-line.ts";

/** How much is read at a time. */
const STEP_BYTES = 262_144;
/** Enough for the first line of a segment. */
const HEAD_BYTES = 4096;
const NEWLINE = 0x0a;

const readAt = promisify(read);

/**
 * The lines of the events before a number, newest first, some at a time. Snapshots are skipped: the older segments have
 * what they repeat.
 *
 * @param segments newest first. @throws `log_damaged` when a line is missing or is not an event.
 */
export async function* readLinesBackwards(
  segments: Iterable<SegmentRange>,
  before: number,
): AsyncGenerator<Uint8Array[]> {
  let upper = before;
  for (const segment of segments) {
    // Opened once: the log may rotate meanwhile, and the name then belongs to the new file.
    const fd = openSync(segment.path, "r");
    try {
      const lowest = firstOwnSeq(fd, segment);
      if (upper > lowest) yield* linesBetween(fd, segment, lowest, upper);
    } finally {
      closeSync(fd);
    }
    upper = Math.min(upper, segment.firstSeq);
  }
}

/** The lines from number `lowest` to the one before `upper`, newest first. */
async function* linesBetween(
  fd: number,
  segment: SegmentRange,
  lowest: number,
  upper: number,
): AsyncGenerator<Uint8Array[]> {
  const start = seekLine(fd, segment, lowest);
  let end = seekLine(fd, segment, upper);
  let due = upper;
  while (end > start) {
    const lines = await linesUpTo(fd, segment.path, start, end);
    for (const line of lines) {
      due -= 1;
      end -= line.length + 1;
      if (lineSeq(line) === due) continue;
      throw damaged(segment.path, end, `expected event ${due}, found something else`);
    }
    yield lines;
  }
}

/** The complete lines, newest first, that end at `end` and fit into a step; or one that is longer. */
async function linesUpTo(
  fd: number,
  path: string,
  start: number,
  end: number,
): Promise<Uint8Array[]> {
  for (let size = STEP_BYTES; size <= 4 * MAX_MESSAGE_BYTES; size *= 2) {
    const from = Math.max(start, end - size);
    const chunk = Buffer.allocUnsafeSlow(end - from);
    const { bytesRead } = await readAt(fd, chunk, 0, chunk.length, from);
    if (bytesRead < chunk.length) break;
    // The first line is complete only where the range begins.
    const first = from === start ? 0 : chunk.indexOf(NEWLINE) + 1;
    if (first < chunk.length && (from === start || first > 0)) return split(chunk.subarray(first));
  }
  throw damaged(path, start, "a line is not terminated");
}

function split(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines.toReversed();
}

/** The first event of a segment that is not part of its snapshot. */
function firstOwnSeq(fd: number, { firstSeq }: SegmentRange): number {
  const head = Buffer.alloc(HEAD_BYTES);
  const count = readSync(fd, head, 0, HEAD_BYTES, 0);
  const end = head.subarray(0, count).indexOf(NEWLINE);
  // The line with which a snapshot begins is short.
  if (end < 0) return firstSeq;
  const parsed = parseJson(head.subarray(0, end));
  const first = parsed.ok ? (parsed.value as Partial<SessionEvent>) : {};
  return first.type === "snapshot_begin" ? firstSeq + (first.items ?? 0) + 2 : firstSeq;
}

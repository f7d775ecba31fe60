import { closeSync, openSync, readSync } from "node:fs";
import { parseJson } from "../../wire/json-payload.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import { decodeUtf8 } from "../../wire/utf8.ts";
import { readOpenSegment } from "./read-segment.ts";
import type { SegmentRange } from "./seek-line.ts";

/** A page must fit into one line to a client, so it may be shorter than requested. */
const MAX_PAGE_BYTES = 4_194_304;
/** How many events are read at a time. */
const STEP = 100;
/** Enough for the first line of a segment. */
const HEAD_BYTES = 4096;
const NEWLINE = 0x0a;

export interface EventPage {
  events: SessionEvent[];
  /** There are older events. */
  more: boolean;
}

/**
 * The newest events before a number, oldest first. Snapshots are skipped: the older segments have what they repeat.
 *
 * @param segments newest first.
 */
export async function pageBack(
  segments: Iterable<SegmentRange>,
  before: number,
  limit: number,
): Promise<EventPage> {
  const newestFirst: SessionEvent[] = [];
  let bytes = 0;
  let upper = before;
  for (const segment of segments) {
    // Opened once: the log may rotate meanwhile, and the name then belongs to the new file.
    const fd = openSync(segment.path, "r");
    try {
      const lowest = firstOwnSeq(fd, segment);
      while (upper > lowest) {
        const from = Math.max(lowest, upper - STEP);
        const lines = await readLines(fd, segment, from, upper);
        for (const line of lines.toReversed()) {
          const isFull = newestFirst.length >= limit || bytes + line.length > MAX_PAGE_BYTES;
          // A page without events would never get any further.
          if (isFull && newestFirst.length > 0)
            return { events: newestFirst.toReversed(), more: true };
          newestFirst.push(JSON.parse(decodeUtf8(line)) as SessionEvent);
          bytes += line.length;
        }
        upper = from;
      }
    } finally {
      closeSync(fd);
    }
    upper = Math.min(upper, segment.firstSeq);
  }
  return { events: newestFirst.toReversed(), more: false };
}

/** The lines from number `from` to the one before `upper`. */
async function readLines(
  fd: number,
  segment: SegmentRange,
  from: number,
  upper: number,
): Promise<Uint8Array[]> {
  const lines: Uint8Array[] = [];
  for await (const { bytes } of readOpenSegment(fd, segment, from)) {
    let start = 0;
    while (start < bytes.length && lines.length < upper - from) {
      const end = bytes.indexOf(NEWLINE, start);
      lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    if (lines.length === upper - from) break;
  }
  return lines;
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

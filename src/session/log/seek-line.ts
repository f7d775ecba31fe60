import { readSync } from "node:fs";
import { LINE_HEAD_BYTES, lineSeq } from "./seq-of-line.ts";
import { damaged } from "./log-errors.ts";

const PROBE_BYTES = 4096;
/** A range this small is read sequentially rather than halved again. */
const SMALL_BYTES = 4096;
const NEWLINE = 0x0a;

/** A part of a segment that readers may see. */
export interface SegmentRange {
  readonly path: string;
  readonly firstSeq: number;
  /** Where it ends, at the end of a line. */
  readonly end: number;
}

/**
 * The offset of line number `seq`, or the end when `seq` is the next line to come. Lines are in order, so the file is
 * its own index: some ten small reads find any line, and no index can be stale.
 */
export function seekLine(fd: number, segment: SegmentRange, seq: number): number {
  let low = 0;
  let high = segment.end;
  if (seq === segment.firstSeq) return 0;
  while (high - low > SMALL_BYTES) {
    const middle = low + Math.floor((high - low) / 2);
    const start = lineAfter(fd, middle, high);
    // No line begins after the middle.
    if (start >= high) high = middle + 1;
    else if (seqAt(fd, segment.path, start) <= seq) low = start;
    else high = start;
  }
  let at = low;
  while (at < segment.end && seqAt(fd, segment.path, at) < seq) at = lineAfter(fd, at, segment.end);
  return at;
}

/** Start of the first line after the one that contains `offset`. */
export function lineAfter(fd: number, offset: number, end: number): number {
  const probe = Buffer.allocUnsafe(PROBE_BYTES);
  for (let at = offset; at < end;) {
    const count = readSync(fd, probe, 0, PROBE_BYTES, at);
    if (count === 0) break;
    const newline = probe.subarray(0, count).indexOf(NEWLINE);
    if (newline >= 0) return at + newline + 1;
    at += count;
  }
  return end;
}

export function seqAt(fd: number, path: string, offset: number): number {
  const head = Buffer.allocUnsafe(LINE_HEAD_BYTES);
  const count = readSync(fd, head, 0, LINE_HEAD_BYTES, offset);
  const seq = lineSeq(head.subarray(0, count));
  if (seq === undefined) throw damaged(path, offset, "the line is not an event");
  return seq;
}

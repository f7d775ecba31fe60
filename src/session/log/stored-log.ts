import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { systemCode } from "../../files/system-error-code.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { BlobPart } from "./blob-store.ts";
import { BlobStore } from "./blob-store.ts";
import { readIdentity } from "./log-id-and-epochs.ts";
import { LINE_HEAD_BYTES, lineSeq } from "./seq-of-line.ts";
import type { EventPage, PageOptions } from "./read-history-page.ts";
import { readHistoryPage } from "./read-history-page.ts";
import type { SegmentRange } from "./seek-line.ts";
import { seqAt } from "./seek-line.ts";
import { currentPath, olderPath, olderSegments } from "./segment-files.ts";

/** The log of a session, only for reading: its session may run, and may be writing. */
export interface StoredLog {
  readonly logId: string;
  /** A page of older events, oldest first, as `EventLog.history` returns it. @throws `log_damaged` */
  history(before: number | undefined, limit: number, options?: PageOptions): Promise<EventPage>;
  /** A stored payload or a part of it. @throws `blob_not_found` */
  readBlob(blob: string, offset: number, limit?: number): Promise<BlobPart>;
}

/** Returns undefined when the directory has no log. @throws `log_damaged` */
export function openStoredLog(directory: string): StoredLog | undefined {
  const identity = readIdentity(directory);
  if (!identity) return undefined;
  const blobs = new BlobStore(join(directory, "blobs"));
  return {
    logId: identity.log_id,
    history: (before, limit, options) => readHistory(directory, before, limit, options),
    readBlob: (blob, offset, limit) => blobs.read(blob, offset, limit),
  };
}

/** The newest file gets another name when the next one begins: a read that meets just that moment is repeated. */
const TRIES = 3;

async function readHistory(
  directory: string,
  before: number | undefined,
  limit: number,
  options?: PageOptions,
): Promise<EventPage> {
  for (let tries = 1; ; tries += 1) {
    try {
      const current = currentSegment(currentPath(directory));
      const end = current.lastSeq + 1;
      const upto = Math.min(before ?? end, end);
      return await readHistoryPage(segmentsOf(directory, current), upto, limit, options);
    } catch (error) {
      if (tries === TRIES || !isOvertaken(error)) throw error;
    }
  }
}

const isOvertaken = (error: unknown): boolean =>
  (error instanceof ClaudeCodeError && error.code === "log_damaged") ||
  systemCode(error) === "ENOENT";

interface CurrentSegment extends SegmentRange {
  /** 0 while there is no event. */
  readonly lastSeq: number;
}

/** Newest first. */
function* segmentsOf(directory: string, current: CurrentSegment): Generator<SegmentRange> {
  if (current.lastSeq > 0) yield current;
  for (const firstSeq of olderSegments(directory).toReversed()) {
    // A file that is just being exchanged has two names.
    if (firstSeq >= current.firstSeq) continue;
    const path = olderPath(directory, firstSeq);
    yield { path, firstSeq, end: statSync(path).size };
  }
}

function currentSegment(path: string): CurrentSegment {
  const fd = openSync(path, "r");
  try {
    // A line that is being written, or that a crash tore, does not count.
    const end = endOfLineBefore(fd, fstatSync(fd).size);
    if (end === 0) return { path, firstSeq: 1, end, lastSeq: 0 };
    const head = Buffer.alloc(LINE_HEAD_BYTES);
    const firstSeq = lineSeq(head.subarray(0, readSync(fd, head, 0, head.length, 0))) ?? 1;
    return { path, firstSeq, end, lastSeq: seqAt(fd, path, endOfLineBefore(fd, end - 1)) };
  } finally {
    closeSync(fd);
  }
}

const STEP_BYTES = 65_536;
const NEWLINE = 0x0a;

/** Where the last line ends that ends at `limit` or before; 0 when there is none. */
function endOfLineBefore(fd: number, limit: number): number {
  const chunk = Buffer.alloc(STEP_BYTES);
  for (let end = limit; end > 0;) {
    const start = Math.max(0, end - STEP_BYTES);
    const count = readSync(fd, chunk, 0, end - start, start);
    const newline = chunk.subarray(0, count).lastIndexOf(NEWLINE);
    if (newline >= 0) return start + newline + 1;
    end = start;
  }
  return 0;
}

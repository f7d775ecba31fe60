import { closeSync, constants, existsSync, fdatasyncSync, fstatSync } from "node:fs";
import { openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { applyEvent } from "../../session-state/apply-event.ts";
import type { SessionState } from "../../session-state/session-state.ts";
import { emptyState } from "../../session-state/session-state.ts";
import { stateFromJson } from "../../session-state/state-json.ts";
import { LINE_HEAD_BYTES, lineSeq } from "./seq-of-line.ts";
import { damaged } from "./log-errors.ts";
import { fitsSegment, readSavedState, saveState } from "./saved-state.ts";
import { scanSegment } from "./scan-segment.ts";
import { lineAfter } from "./seek-line.ts";
import { checkpointPath, currentPath, olderPath, olderSegments } from "./segment-files.ts";
import { statePath, sweepUnfinished } from "./segment-files.ts";

export interface Loaded {
  readonly fd: number;
  /** Where its last complete line ends. */
  readonly size: number;
  /** The bytes after that: a line that a crash tore. */
  readonly tornBytes: number;
  /** Size of the last line, 0 for none. */
  readonly lastLineBytes: number;
  readonly state: SessionState;
  /** The first event of the current segment. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** Messages that were accepted in the current segment. */
  readonly segmentIds: string[];
  /** How much of the segment was read. */
  readonly readBytes: number;
}

/** Opens the current segment and folds it up to its last complete line, which is then safe on disk. */
export function loadLog(directory: string, logId: string, isNew: boolean): Loaded {
  const path = currentPath(directory);
  if (!isNew && !existsSync(path)) throw damaged(path, 0, "it is missing");
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const firstSeq = firstSeqOf(fd, path);
    if (isNew && fstatSync(fd).size > 0)
      throw damaged(path, 0, "log.json, which belongs to it, is missing");
    sweepUnfinished(directory, firstSeq);
    return { fd, firstSeq, ...foldSegment(directory, logId, fd, firstSeq) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function firstSeqOf(fd: number, path: string): number {
  const head = Buffer.alloc(LINE_HEAD_BYTES);
  const count = readSync(fd, head, 0, head.length, 0);
  const seq = lineSeq(head.subarray(0, count));
  if (seq !== undefined) return seq;
  // Only the very first line of a log can be torn here: a later segment is complete before it gets its name.
  const { size } = fstatSync(fd);
  const isTorn = lineAfter(fd, 0, size) === size && !endsWithNewline(fd, size);
  if (isTorn && olderSegments(dirname(path)).length === 0) return 1;
  throw damaged(path, 0, "the line is not an event");
}

function endsWithNewline(fd: number, size: number): boolean {
  const last = Buffer.alloc(1);
  return size > 0 && readSync(fd, last, 0, 1, size - 1) === 1 && last.toString() === "\n";
}

function foldSegment(
  directory: string,
  logId: string,
  fd: number,
  firstSeq: number,
): Omit<Loaded, "fd" | "firstSeq"> {
  const path = currentPath(directory);
  const base = firstSeq === 1 ? emptyState() : stateBefore(directory, logId, firstSeq);
  const found = readSavedState(checkpointPath(directory), logId, firstSeq);
  const checkpoint = found && fitsSegment(found, fd) ? found : undefined;
  const segmentIds = [...(checkpoint?.accepted_ids ?? [])];
  const state = checkpoint
    ? stateFromJson(checkpoint.state, [...base.acceptedIds, ...segmentIds])
    : base;
  const start = checkpoint
    ? { offset: checkpoint.line.end, seq: checkpoint.seq + 1 }
    : { offset: 0, seq: firstSeq };
  const end = scanSegment(fd, path, start, (event) => {
    if (event.type === "user_message" && !state.inSnapshot) segmentIds.push(event.id);
    applyEvent(state, event);
  });
  fdatasyncSync(fd);
  const size = end.offset;
  const known = checkpoint ? checkpoint.line.end - checkpoint.line.start : 0;
  return {
    state,
    size,
    tornBytes: fstatSync(fd).size - size,
    lastSeq: end.seq - 1,
    lastLineBytes: end.lastLineBytes || known,
    segmentIds,
    readBytes: size - start.offset,
  };
}

/** The fold of all older segments: as saved when the segment was begun, or computed from the segments themselves. */
function stateBefore(directory: string, logId: string, firstSeq: number): SessionState {
  const path = statePath(directory, firstSeq);
  const saved = readSavedState(path, logId, firstSeq);
  if (saved) return stateFromJson(saved.state, saved.accepted_ids);
  const state = emptyState();
  let due = 1;
  for (const first of olderSegments(directory)) {
    const older = olderPath(directory, first);
    const fd = openSync(older, "r");
    try {
      const end = scanSegment(fd, older, { offset: 0, seq: due }, (event) =>
        applyEvent(state, event),
      );
      due = end.seq;
    } finally {
      closeSync(fd);
    }
  }
  if (due !== firstSeq) {
    throw damaged(
      path,
      0,
      `it cannot be rebuilt, because events ${due} to ${firstSeq - 1} are missing`,
    );
  }
  const place = {
    log_id: logId,
    segment: firstSeq,
    seq: firstSeq - 1,
    line: { start: 0, end: 0, crc: 0 },
  };
  saveState(path, place, state, state.acceptedIds, { durable: true });
  return state;
}

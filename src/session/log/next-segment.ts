import { closeSync, constants, copyFileSync, fdatasyncSync, linkSync, openSync } from "node:fs";
import { renameSync, rmSync } from "node:fs";
import type { SessionState } from "../state/session-state.ts";
import type { Snapshot } from "../state/snapshot.ts";
import { syncDirectory, writeAll } from "./durable-file.ts";
import type { EventDraft, LogBatch } from "./log-batch.ts";
import { placeEvent } from "./place-event.ts";
import { saveState } from "./saved-state.ts";
import { currentPath, nextPath, olderPath, statePath } from "./segment-files.ts";

export interface NextSegment {
  readonly fd: number;
  /** All that it holds: its snapshot. */
  readonly batch: LogBatch;
  readonly lastLineBytes: number;
}

export interface Rotation {
  readonly directory: string;
  readonly logId: string;
  /** First event of the segment that ends. */
  readonly firstSeq: number;
  /** Its last event. */
  readonly upto: number;
  readonly state: SessionState;
  readonly snapshot: Snapshot;
  readonly clock: () => Date;
}

/**
 * Puts a new segment in the place of the current one, which is safe on disk and keeps a name of its own. The exchange is
 * one rename: whatever is cut short before it leaves the current segment, and leftovers that the next opening sweeps.
 * When a step fails, everything is as it was, and the error is thrown.
 */
export function nextSegment(rotation: Rotation): NextSegment {
  const { directory, logId, firstSeq, upto, state } = rotation;
  const { batch, lastLineBytes } = snapshotBatch(rotation);
  const [current, next] = [currentPath(directory), nextPath(directory)];
  const [older, base] = [olderPath(directory, firstSeq), statePath(directory, upto + 1)];
  const line = { start: 0, end: 0, crc: 0 };
  let fd: number | undefined;
  let exchanged = false;
  try {
    const place = { log_id: logId, segment: upto + 1, seq: upto, line };
    saveState(base, place, state, state.acceptedIds, { durable: true });
    fd = openSync(next, constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC, 0o600);
    writeAll(fd, batch.bytes, 0);
    fdatasyncSync(fd);
    nameTwice(current, older);
    syncDirectory(directory);
    renameSync(next, current);
    exchanged = true;
    syncDirectory(directory);
    rmSync(statePath(directory, firstSeq), { force: true });
    return { fd, batch, lastLineBytes };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    if (exchanged) renameSync(older, current);
    for (const path of [next, base, ...(exchanged ? [] : [older])]) rmSync(path, { force: true });
    throw error;
  }
}

/** Where the file system has no links, a copy does: it is void until the exchange, as a link is. */
function nameTwice(current: string, older: string): void {
  try {
    linkSync(current, older);
  } catch {
    copyFileSync(current, older);
    const fd = openSync(older, "r+");
    try {
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }
}

function snapshotBatch(rotation: Rotation): { batch: LogBatch; lastLineBytes: number } {
  const { upto, snapshot, clock } = rotation;
  const { items, omitted } = snapshot;
  const drafts: EventDraft[] = [
    { type: "snapshot_begin", upto, items: items.length, ...(omitted && { omitted }) },
    ...items,
    { type: "snapshot_end", upto },
  ];
  const lines = drafts.map((draft, index) => {
    // A repeated event has a number, which is not its number here.
    const { seq: _, ...unplaced } = { seq: 0, ...draft };
    return placeEvent(unplaced, upto + 1 + index, clock).line;
  });
  const bytes = Buffer.concat(lines);
  const lastLineBytes = lines.at(-1)?.length ?? 0;
  return { batch: { firstSeq: upto + 1, lastSeq: upto + lines.length, bytes }, lastLineBytes };
}

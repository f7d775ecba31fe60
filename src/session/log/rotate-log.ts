import { closeSync, constants, copyFileSync, fdatasyncSync, linkSync, openSync } from "node:fs";
import { renameSync, rmSync } from "node:fs";
import type { SessionState } from "../../session-state/session-state.ts";
import type { Snapshot } from "./compose-snapshot.ts";
import { syncDirectory, writeAll } from "../../files/replace-file.ts";
import type { EventDraft, LogBatch } from "./event-draft.ts";
import { numberEvent } from "./number-event.ts";
import { saveState } from "./saved-state.ts";
import { currentPath, nextPath, olderPath, statePath } from "./segment-files.ts";

export interface NextSegment {
  readonly fd: number;
  /** The segment's content: its snapshot. */
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
}

/**
 * Puts a new segment in the place of the current one, which is safe on disk and keeps a name of its own. The exchange
 * is one rename: a crash before it leaves the current segment and leftovers that the next opening removes. If a step
 * fails, everything is as before, and the error is thrown.
 */
export function rotateLog(rotation: Rotation): NextSegment {
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

/** A copy replaces the link where the file system has none: like a link, it is void until the exchange. */
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
  const { upto, snapshot } = rotation;
  const { items, omitted } = snapshot;
  const drafts: EventDraft[] = [
    { type: "snapshot_begin", upto, items: items.length, ...(omitted && { omitted }) },
    ...items,
    { type: "snapshot_end", upto },
  ];
  const lines = drafts.map((draft, index) => {
    // A repeated event has a `seq` of its own, which is not its number here.
    const { seq: _, ...unplaced } = { seq: 0, ...draft };
    return numberEvent(unplaced, upto + 1 + index).line;
  });
  const bytes = Buffer.concat(lines);
  const lastLineBytes = lines.at(-1)?.length ?? 0;
  return { batch: { firstSeq: upto + 1, lastSeq: upto + lines.length, bytes }, lastLineBytes };
}

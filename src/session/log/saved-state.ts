import { readFileSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import type { JsonObject } from "../../wire/json.ts";
import type { SessionState } from "../../session-state/session-state.ts";
import { stateToJson } from "../../session-state/state-json.ts";
import { replaceFile } from "../../files/replace-file.ts";

/**
 * The fold up to a position in the log, so that an opening need not read everything. The log is the truth: a saved
 * state counts only when it is intact and the line before its position is still the one it was saved after.
 */
export interface SavedState {
  readonly log_id: string;
  /** First event of its segment. */
  readonly segment: number;
  /** The last event that it covers. */
  readonly seq: number;
  /** Where that event's line begins and ends in the segment, and its checksum; all 0 before the first line. */
  readonly line: { readonly start: number; readonly end: number; readonly crc: number };
  readonly accepted_ids: readonly string[];
  readonly state: JsonObject;
}

export function saveState(
  path: string,
  place: Omit<SavedState, "state" | "accepted_ids">,
  state: SessionState,
  acceptedIds: Iterable<string>,
  how: { durable: boolean },
): void {
  const saved: SavedState = {
    ...place,
    accepted_ids: [...acceptedIds],
    state: stateToJson(state),
  };
  const json = JSON.stringify(saved);
  replaceFile(path, Buffer.from(`${crc32(json)} ${json}\n`), how);
}

/** Returns undefined when there is none, when it is damaged, or when it belongs to another log or segment. */
export function readSavedState(
  path: string,
  logId: string,
  segment: number,
): SavedState | undefined {
  try {
    const text = readFileSync(path, "utf8").trimEnd();
    const space = text.indexOf(" ");
    const json = text.slice(space + 1);
    if (crc32(json) !== Number(text.slice(0, space))) return undefined;
    const saved = JSON.parse(json) as SavedState;
    return saved.log_id === logId && saved.segment === segment ? saved : undefined;
  } catch {
    // Whatever is wrong, the log itself can be read instead.
    return undefined;
  }
}

/** Whether the line that the state was saved after is still there. */
export function fitsSegment(saved: SavedState, fd: number): boolean {
  const { start, end, crc } = saved.line;
  return lineChecksum(fd, start, end) === crc;
}

export function lineChecksum(fd: number, start: number, end: number): number {
  const line = Buffer.alloc(end - start);
  const count = readSync(fd, line, 0, line.length, start);
  return crc32(line.subarray(0, count));
}

import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { damaged } from "./log-errors.ts";

/** The segment being written. Older ones carry the number of their first event. */
const CURRENT = "events.jsonl";
const NEXT = "events.next.jsonl";
const OLDER = /^events-(\d{16})\.jsonl$/;
const STATE = /^state-(\d{16})\.json$/;

const numbered = (seq: number): string => String(seq).padStart(16, "0");

export const currentPath = (directory: string): string => join(directory, CURRENT);

/** The next segment, until it is complete and replaces the current one. */
export const nextPath = (directory: string): string => join(directory, NEXT);

export const olderPath = (directory: string, firstSeq: number): string =>
  join(directory, `events-${numbered(firstSeq)}.jsonl`);

/** The fold of everything before the segment that begins with `firstSeq`. */
export const statePath = (directory: string, firstSeq: number): string =>
  join(directory, `state-${numbered(firstSeq)}.json`);

export const checkpointPath = (directory: string): string => join(directory, "checkpoint.json");

/** First events of the older segments, oldest first. */
export const olderSegments = (directory: string): number[] => numbersOf(directory, OLDER);

/**
 * Removes what an interrupted rotation left: the current segment, which begins with `firstSeq`, was not replaced, so
 * its second name and what was prepared for its successor are void.
 */
export function sweepUnfinished(directory: string, firstSeq: number): void {
  rmSync(nextPath(directory), { force: true });
  for (const name of readdirSync(directory)) {
    if (name.endsWith(".tmp")) rmSync(join(directory, name), { force: true });
  }
  for (const seq of numbersOf(directory, OLDER)) {
    if (seq > firstSeq) {
      throw damaged(currentPath(directory), 0, `it is older than events-${numbered(seq)}.jsonl`);
    }
    if (seq === firstSeq) rmSync(olderPath(directory, seq));
  }
  for (const seq of numbersOf(directory, STATE)) {
    if (seq !== firstSeq) rmSync(statePath(directory, seq));
  }
}

function numbersOf(directory: string, pattern: RegExp): number[] {
  return readdirSync(directory)
    .flatMap((name) => pattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

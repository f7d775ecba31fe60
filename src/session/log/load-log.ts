import { fdatasyncSync, fstatSync, ftruncateSync } from "node:fs";
import { applyEvent } from "../state/apply-event.ts";
import type { SessionState } from "../state/session-state.ts";
import { emptyState } from "../state/session-state.ts";
import { writeAll } from "./durable-file.ts";
import { damaged } from "./log-errors.ts";
import { eventLine, placeEvent } from "./place-event.ts";
import { scanSegment } from "./scan-segment.ts";

export interface Loaded {
  readonly state: SessionState;
  /** The first event of the current segment. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly size: number;
}

/** Reads the current segment, and repairs its end. */
export function loadLog(fd: number, path: string, clock: () => Date): Loaded {
  const state = emptyState();
  let firstSeq: number | undefined;
  const end = scanSegment(fd, path, { offset: 0, seq: undefined }, (event) => {
    firstSeq ??= event.seq;
    applyEvent(state, event);
  });
  if (firstSeq !== undefined && firstSeq !== 1) {
    throw damaged(path, 0, `the first event has number ${firstSeq}`);
  }
  let lastSeq = (end.seq ?? 1) - 1;
  let size = end.offset;
  const torn = fstatSync(fd).size - size;
  if (torn > 0) {
    lastSeq += 1;
    const notice = placeEvent(
      {
        type: "notice",
        code: "log_repaired",
        message: `The last line of the log was torn by a crash; its ${torn} bytes were cut off.`,
        data: { offset: size, bytes: torn },
      },
      lastSeq,
      clock,
    );
    // First the notice in the torn line's place, then the cut: a crash in between leaves another torn line.
    const line = eventLine(notice);
    writeAll(fd, line, size);
    size += line.length;
    ftruncateSync(fd, size);
    applyEvent(state, notice);
  }
  fdatasyncSync(fd);
  return { state, firstSeq: firstSeq ?? 1, lastSeq, size };
}

import type { SessionEvent } from "../../wire/session-events.ts";

type WithoutPlace<Event> = Event extends SessionEvent ? Omit<Event, "seq" | "at"> : never;

/** An event before it has its place in the log, which adds `seq`, and `at` except for deltas. */
export type EventDraft = WithoutPlace<SessionEvent>;

/** Whole lines of the log, as they stand on disk and go to clients. */
export interface LogBatch {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly bytes: Uint8Array;
}

/** Called with batches in order. One that throws has a defect, and hears the next batch all the same. */
export type LogListener = (batch: LogBatch) => void;

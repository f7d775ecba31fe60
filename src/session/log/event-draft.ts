import type { LogBatch } from "../../stream/log-batch.ts";
import type { SessionEvent } from "../../wire/session/events.ts";

type WithoutPlace<Event> = Event extends SessionEvent ? Omit<Event, "seq" | "at"> : never;

/** An event before the log adds `seq`, and `at` except for deltas. A draft from a recording that has an `at` keeps it. */
export type EventDraft = WithoutPlace<SessionEvent>;

export type { LogBatch } from "../../stream/log-batch.ts";

/** Called with batches in order. A listener that throws has a defect; it still gets the next batch. */
export type LogListener = (batch: LogBatch) => void;

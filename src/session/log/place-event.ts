import { encodeLine } from "../../wire/lines.ts";
import type { SessionEvent } from "../../wire/session-events.ts";
import type { EventDraft } from "./log-batch.ts";

const deltas: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "text_delta",
  "thinking_delta",
  "tool_input_delta",
  "tool_output_delta",
]);

/** What people are promised: it is told when it is safe, not before. */
const promises: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "user_message",
  "approval_resolved",
  "done",
]);

const isDelta = (type: string): boolean => deltas.has(type);

export const isPromise = (type: string): boolean => promises.has(type);

/** Gives a draft its place. The number comes first, so that a line's number is found without parsing it. */
export function placeEvent(draft: EventDraft, seq: number, clock: () => Date): SessionEvent {
  const placed = isDelta(draft.type)
    ? { seq, ...draft }
    : { seq, at: clock().toISOString(), ...draft };
  return placed as SessionEvent;
}

/** The bytes of an event: in the log, and to every client. */
export const eventLine = (event: SessionEvent): Uint8Array => encodeLine(event);

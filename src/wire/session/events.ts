import * as z from "zod";
import type { Checked } from "../check-message.ts";
import { typedChecker } from "../check-message.ts";
import { approvalEvents } from "./approval-events.ts";
import { stateEvents } from "./state-events.ts";
import { toolEvents } from "./tool-events.ts";
import { turnEvents } from "./turn-events.ts";
import { reservedTypes } from "./shared-schemas.ts";

const events = [...turnEvents, ...toolEvents, ...approvalEvents, ...stateEvents] as const;

/** Everything that happens in a session: numbered, logged, and sent to all clients. */
export const SessionEventSchema = z.discriminatedUnion("type", events);
export type SessionEvent = z.infer<typeof SessionEventSchema>;
export type SessionEventOf<Type extends SessionEvent["type"]> = Extract<
  SessionEvent,
  { type: Type }
>;

/** Checks an event from the log or from a session. See `typedChecker` for the errors. */
export const parseEvent: (value: unknown) => Checked<SessionEvent> = typedChecker(
  "event",
  events,
  reservedTypes,
);

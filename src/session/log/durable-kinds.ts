import type { SessionEvent } from "../../wire/session/events.ts";

const durableKinds: ReadonlySet<string> = new Set<SessionEvent["type"]>([
  "user_message",
  "approval_resolved",
  "done",
  "continuation_planned",
  "continuation_canceled",
]);

/** Whether clients get an event of this kind only once it is safe on the disk: it is a promise to people. */
export const isDurableKind = (type: string): boolean => durableKinds.has(type);

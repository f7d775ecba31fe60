import type { PendingRequest } from "../wire/session/approval-events.ts";
import type { SessionState } from "./session-state.ts";

/** Everything that waits for a person, about a call or not, the oldest request first. */
export const pendingOf = ({ pending, notices }: SessionState): PendingRequest[] =>
  [...pending.values(), ...notices.values()].toSorted((one, other) => one.seq - other.seq);

import type { SessionState } from "./session-state.ts";

/**
 * Whether the session has nothing to do: no turn, no message that waits for one, no request that waits for a person,
 * nothing in the background, no usage limit at whose reset it goes on.
 */
export const isAtRest = (state: SessionState): boolean =>
  state.activity === "idle" &&
  state.turn === undefined &&
  state.accepted.size + state.pending.size + state.notices.size === 0 &&
  state.backgroundTasks.length === 0 &&
  state.continuation === undefined;

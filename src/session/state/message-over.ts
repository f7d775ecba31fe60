import type { MessageOver } from "../../wire/session-answers.ts";
import type { SessionState } from "./session-state.ts";

/**
 * What became of a message of which no event has anything more to tell. Whoever sends it again may have missed
 * those that had: they can be older than what the log still holds.
 */
export function messageOver(
  { accepted, acceptedIds, dropped }: SessionState,
  id: string | undefined,
): MessageOver | undefined {
  if (id === undefined || !acceptedIds.has(id) || accepted.has(id)) return undefined;
  return dropped.has(id) ? "dropped" : "seen";
}

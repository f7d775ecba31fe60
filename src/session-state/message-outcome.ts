import type { MessageOver } from "../wire/session/answers.ts";
import type { SessionState } from "./session-state.ts";

/**
 * What became of a message that no further event will mention. A client that sends it again may have missed the
 * events that did: they can be older than the log's current segment.
 */
export function messageOver(
  { accepted, acceptedIds, dropped, continuation }: SessionState,
  id: string | undefined,
): MessageOver | undefined {
  if (id === undefined || !acceptedIds.has(id) || accepted.has(id)) return undefined;
  // The turn that goes on with it will.
  if (continuation?.planned.messages.includes(id) === true) return undefined;
  return dropped.has(id) ? "dropped" : "seen";
}

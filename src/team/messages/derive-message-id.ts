import { createHash } from "node:crypto";
import { uuidOfDigest } from "../../text/uuid-of-digest.ts";

/**
 * The id of what an agent sends with one call: the same call repeated after a lost connection gives the
 * same id, and the bus takes an id once.
 */
export const idOfCall = (logId: string, toolUseId: string): string =>
  namedUuid("call", logId, toolUseId);

/** The id of the answer that is sent for an agent whose turn ended without one. */
export const idOfAutomaticAnswer = (requestId: string): string => namedUuid("answer", requestId);

/** The id of the note that tells a sender that its message is a dead letter. */
export const idOfDeathNotice = (deadId: string): string => namedUuid("dead", deadId);

/** The id of a session's role check, so that it is asked once, whatever crashes. */
export const idOfRoleCheck = (logId: string): string => namedUuid("role", logId);

/** The id of the note that tells an agent of its tasks in a new conversation. */
export const idOfLossNote = (logId: string): string => namedUuid("lost conversation", logId);

/** A UUID of version 5, the one for names. The length before each part keeps ("a", "bc") from ("ab", "c"). */
function namedUuid(...parts: string[]): string {
  const hash = createHash("sha1").update("agent-switchboard");
  for (const part of parts) hash.update(`\n${part.length}:${part}`);
  return uuidOfDigest(hash.digest(), 5);
}

import { setTimeout as delay } from "node:timers/promises";
import type { SessionClient } from "../../client/index.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentId } from "../../wire/team.ts";
import type { Desk } from "./desk.ts";
import { untilAborted } from "./until-aborted.ts";

/** How long a session that was heard out may take until it tells of a call that has come. */
const TOLD_MS = 5000;
/** How often that time is given, when the session has told more by then than we have heard. */
const ROUNDS = 12;
const POLL_MS = 50;

export interface Listening {
  readonly desk: Pick<Desk, "heardOfCall" | "lastSeq">;
  /** The session, once all that it had told before has been heard; undefined while there is none. */
  readonly heardOut: () => Pick<SessionClient, "status"> | undefined;
  /** There will be none: the agent sleeps or was given up. */
  readonly isOver: () => boolean;
}

/**
 * Has the session told of this call? A call comes over another connection than the session's events and may
 * be faster, but what it is about stands in those. After a restart of the team's process it may be faster by
 * far: the bridge is back as soon as its socket is. So the clock runs only while we have heard all there is.
 *
 * @throws the signal's reason.
 */
export async function isCallTold(
  callId: string,
  { desk, heardOut, isOver }: Listening,
  signal: AbortSignal,
  withinMs: number = TOLD_MS,
): Promise<boolean> {
  const aborted = untilAborted(signal);
  aborted.catch(() => {});
  for (let round = 0; round < ROUNDS;) {
    const session = heardOut();
    if (!session) {
      if (isOver()) return false;
      await delay(POLL_MS, undefined, { signal, ref: false });
      continue;
    }
    if (await Promise.race([desk.heardOfCall(callId, withinMs), aborted])) return true;
    const status = await Promise.race([session.status().catch(() => undefined), aborted]);
    // A loop that was held up has heard nothing all that time, though there may be much to hear.
    if (status && heardOut() === session && desk.lastSeq >= status.last_seq) {
      return desk.heardOfCall(callId, 0);
    }
    round += 1;
  }
  return false;
}

/** Of such a call nobody knows what it is about: an answer would have no place, and its job no part. */
export function notTold(agent: AgentId, callId: string): ClaudeCodeError {
  const message = `Nothing was sent: the session of ${agent} has not told of the call ${callId}.`;
  return errorOf("timeout", message, { data: { agent_id: agent }, hint: "Send it again." });
}

import type { SessionClient, SessionView } from "../../client/index.ts";
import { unlessAborted } from "../../time/abortable-waits.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentId } from "../../wire/team/messages.ts";

/** How long it may take until the events of a session that has caught up show a tool call that has reached the team. */
const SHOWN_MS = 5000;
/** How many times the wait starts again because the session has events that this process has not read. */
const ROUNDS = 12;

export interface ShownCalls {
  readonly view: Pick<SessionView, "untilToolCall" | "lastSeq">;
  /** Resolves with the session once its earlier events have been read, or with undefined when no session will come. */
  readonly untilCaughtUp: (
    signal: AbortSignal,
  ) => Promise<Pick<SessionClient, "status"> | undefined>;
}

/**
 * Whether the session's events show this tool call. The call comes over another connection and may be faster than the
 * events, and only the events name its turn. After a restart of the team's process it may be much faster, because the
 * bridge reconnects as soon as its socket is there. So the time runs only while all events have been read.
 *
 * @throws the signal's reason.
 */
export async function isCallShown(
  callId: string,
  { view, untilCaughtUp }: ShownCalls,
  signal: AbortSignal,
  withinMs: number = SHOWN_MS,
): Promise<boolean> {
  const isShown = async (ms: number): Promise<boolean> => {
    const late = AbortSignal.timeout(ms);
    try {
      await view.untilToolCall(callId, AbortSignal.any([signal, late]));
      return true;
    } catch {
      signal.throwIfAborted();
      return false;
    }
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const session = await untilCaughtUp(signal);
    if (!session) return false;
    if (await isShown(withinMs)) return true;
    const asked = session.status().catch(() => undefined);
    const status = await unlessAborted(asked, signal);
    // A process that was held up has read nothing in that time, and there may be much to read.
    if (status && view.lastSeq >= status.last_seq && (await untilCaughtUp(signal)) === session) {
      return isShown(0);
    }
  }
  return false;
}

/** Without its turn a message of the call could not be assigned to a thread or a task. */
export function callNotShown(agent: AgentId, callId: string): ClaudeCodeError {
  const message = `Nothing was sent: the session of ${agent} has not reported the call ${callId}.`;
  return errorOf("timeout", message, { data: { agent_id: agent }, hint: "Send it again." });
}

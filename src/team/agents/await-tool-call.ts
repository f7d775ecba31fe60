import type { SessionClient, SessionView } from "../../client/index.ts";
import { unlessAborted } from "../../time/abort.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentId } from "../../wire/team/messages.ts";

/** How long the events of a session that has caught up may take until they show a tool call that has come. */
const SHOWN_MS = 5000;
/** How often that time is given, when the session then has events that this process has not read. */
const ROUNDS = 12;

export interface ShownCalls {
  readonly view: Pick<SessionView, "untilToolCall" | "lastSeq">;
  /** Resolves with the session once its earlier events have been read; with undefined when no session is to come. */
  readonly untilCaughtUp: (
    signal: AbortSignal,
  ) => Promise<Pick<SessionClient, "status"> | undefined>;
}

/**
 * Do the session's events show this tool call? The call comes over another connection and may be faster than the
 * events, which alone tell its turn. After a restart of the team's process it may be faster by far, because the
 * bridge is back as soon as its socket is. So the time runs only while all events have been read.
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
    // A process that was held up has read nothing all that time, though there may be much to read.
    if (status && view.lastSeq >= status.last_seq && (await untilCaughtUp(signal)) === session) {
      return isShown(0);
    }
  }
  return false;
}

/** Without its turn a message of the call could not be assigned to a thread or a task. */
export function callNotShown(agent: AgentId, callId: string): ClaudeCodeError {
  const message = `Nothing was sent: the session of ${agent} has not told of the call ${callId}.`;
  return errorOf("timeout", message, { data: { agent_id: agent }, hint: "Send it again." });
}

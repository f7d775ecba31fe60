import type { Bus } from "../../bus/bus.ts";
import type { SessionClient, SessionView } from "../../client/index.ts";
import { unlessAborted } from "../../time/abort.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import { wantsAnswer } from "../messages/kind.ts";
import { idOfCall } from "../messages/message-id.ts";
import { messageCarriedBy } from "../messages/result-words.ts";
import type { Thread } from "../messages/thread.ts";
import { threadInTurn } from "../messages/thread.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { textOf } from "./narrate.ts";

const SEND_MESSAGE = "mcp__team__send_message";
/** How long the events of a session that has caught up may take until they show a tool call that has come. */
const SHOWN_MS = 5000;
/** How often that time is given, when the session then has events that this process has not read. */
const ROUNDS = 12;

/** What a turn is about. */
export interface TurnContext {
  readonly thread: Thread;
  readonly taskId: string | undefined;
}

/** What a turn of the agent with these messages is about. A request counts before all else. */
export async function contextOf(
  agent: AgentId,
  messageIds: readonly string[],
  bus: Pick<Bus, "get">,
  tasks: Pick<TaskBook, "find">,
): Promise<TurnContext | undefined> {
  const messages: CCMessage[] = [];
  for (const id of messageIds) {
    const stored = await bus.get(id);
    if (stored) messages.push(stored.message);
  }
  const message = messages.findLast(wantsAnswer) ?? messages.at(-1);
  if (!message) return undefined;
  const { reply_to } = message;
  const answered = reply_to === null ? undefined : (await bus.get(reply_to))?.message;
  const thread = threadInTurn(message, answered, agent);
  if (wantsAnswer(message)) return { thread, taskId: message.id };
  const part = reply_to === null ? undefined : await tasks.find(reply_to);
  return { thread, taskId: part?.parent ?? undefined };
}

/** The open call that has sent this message and waits for the answer. */
export function openCallFor(view: SessionView, messageId: string): string | undefined {
  for (const [id, { tool, input }] of view.openCalls) {
    const waits = tool === SEND_MESSAGE && input["wait"] === true;
    if (waits && idOfCall(view.logId, id) === messageId) return id;
  }
  return undefined;
}

/** The message that a result brings into the conversation. To be asked before the view has the result. */
export function messageIn(
  view: SessionView,
  { request_id, output, meta }: SessionEventOf<"tool_result">,
): string | undefined {
  if (view.openCalls.get(request_id)?.tool !== SEND_MESSAGE) return undefined;
  return messageCarriedBy({ text: textOf(output), meta });
}

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

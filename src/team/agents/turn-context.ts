import type { Bus } from "../../bus/bus.ts";
import type { SessionView } from "../../client/index.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import { wantsAnswer } from "../messages/message-types.ts";
import { idOfCall } from "../messages/derive-message-id.ts";
import { messageCarriedBy } from "../messages/message-carried-by-result.ts";
import type { Thread } from "../messages/thread-of-message.ts";
import { threadInTurn } from "../messages/thread-of-message.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { textOf } from "./session-event-to-timeline.ts";

const SEND_MESSAGE = "mcp__team__send_message";

/** What a turn is about. */
export interface TurnContext {
  readonly thread: Thread;
  readonly taskId: string | undefined;
}

/** What a turn of the agent with these messages is about. If there is a request among them, it decides. */
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

/** The message that a result brings into the conversation. Call this before the view has the result. */
export function messageIn(
  view: SessionView,
  { request_id, output, meta }: SessionEventOf<"tool_result">,
): string | undefined {
  if (view.openCalls.get(request_id)?.tool !== SEND_MESSAGE) return undefined;
  return messageCarriedBy({ text: textOf(output), meta });
}

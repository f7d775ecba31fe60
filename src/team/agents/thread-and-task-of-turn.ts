import type { Bus } from "../../bus/bus.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import { wantsAnswer } from "../messages/message-types.ts";
import type { Thread } from "../messages/thread-of-message.ts";
import { threadInTurn } from "../messages/thread-of-message.ts";
import type { TaskBook } from "../tasks/task-book.ts";

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

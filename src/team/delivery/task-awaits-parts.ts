import type { Bus } from "../../bus/bus.ts";
import { pagesOf } from "../../bus/read-all-pages.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import type { Task } from "../../wire/team/task.ts";
import { isAnswer } from "../messages/message-types.ts";
import type { TaskBook } from "../tasks/task-book.ts";

/** What is known of the messages that the agent of a task has, or is about to get. */
export interface KnownMessages {
  readonly bus: Pick<Bus, "get" | "history">;
  readonly tasks: Pick<TaskBook, "find" | "openBelow">;
  /** Messages that its session has, and whose turn is not over. */
  readonly openMessages: readonly string[];
  /** No turn will deal with it. */
  readonly startsNoTurn: (id: string) => boolean;
}

/**
 * Whether more will come for this task: a part that others still work on, or the answer to a part that is in the
 * agent's inbox or in a turn that is not over.
 *
 * @param besides answers that do not count: one that is about to be delivered, or those of the turn that ends now. A
 * team that was away learns of such a turn while its answers are still in the inbox.
 */
export async function taskAwaitsParts(
  task: Task,
  { bus, tasks, openMessages, startsNoTurn }: KnownMessages,
  besides: readonly string[] = [],
): Promise<boolean> {
  if (tasks.openBelow(task.id).length > 0) return true;
  const counts = async (message: CCMessage): Promise<boolean> => {
    const { id, reply_to } = message;
    if (besides.includes(id) || reply_to === null || !isAnswer(message) || startsNoTurn(id))
      return false;
    return (await tasks.find(reply_to))?.parent === task.id;
  };
  for (const id of openMessages) {
    const message = (await bus.get(id))?.message;
    if (message && (await counts(message))) return true;
  }
  const { to_agent: to, root_id: rootId } = task;
  for await (const page of pagesOf((from) =>
    bus.history({ to, rootId, order: "newest", ...from }),
  )) {
    for (const { message, state } of page) {
      const isInInbox = state === "waiting" || state === "leased";
      if (isInInbox && (await counts(message))) return true;
    }
  }
  return false;
}

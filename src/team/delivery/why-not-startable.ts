import type { CCMessage } from "../../wire/team/messages.ts";
import { wantsAnswer } from "../messages/message-types.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { isEnded } from "../tasks/task-states.ts";
import type { Recipient } from "./recipient-port.ts";
import type { HoldUp } from "./stage.ts";

/** Why a request cannot be worked on now: its task, what the task depends on, or a spent budget. */
export async function findHoldUp(
  tasks: TaskBook,
  recipient: Pick<Recipient, "refusalOf">,
  message: CCMessage,
): Promise<HoldUp | undefined> {
  if (!wantsAnswer(message)) return undefined;
  const task = await tasks.find(message.id);
  if (task && isEnded(task.state)) {
    return { kind: "ended", reason: `its task had ended before (${task.state})` };
  }
  for (const id of task?.depends_on ?? []) {
    const needed = await tasks.find(id);
    if (needed?.state === "completed") continue;
    if (tasks.get(id)) return { kind: "early" };
    return { kind: "hopeless", why: `The task ${id}, which it depends on, was not completed.` };
  }
  const refusal = await recipient.refusalOf(message.id);
  return refusal && { kind: "hopeless", why: refusal.message };
}

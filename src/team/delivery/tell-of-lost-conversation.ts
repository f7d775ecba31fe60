import type { Bus } from "../../bus/bus.ts";
import type { SessionClient } from "../../client/index.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { SWITCHBOARD } from "../../wire/team/reserved-senders.ts";
import type { Task } from "../../wire/team/task.ts";
import type { Team } from "../file/team.ts";
import { idOfLossNote } from "../messages/derive-message-id.ts";
import { shortenForModel } from "../messages/shorten-for-model.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { toSessionMessage } from "./to-session-message.ts";

export interface LostConversationOptions {
  readonly agent: AgentId;
  readonly team: Team;
  readonly bus: Pick<Bus, "get">;
  readonly tasks: Pick<TaskBook, "openOf" | "page">;
}

const MAX_PARTS = 50;

/**
 * Tells an agent that had to begin a new conversation which tasks it was working on, and gives it their requests again. What it did
 * not begin waits in its inbox and is delivered as always. It can be repeated: a session takes each message once.
 */
export async function tellOfLostConversation(
  session: Pick<SessionClient, "send" | "place">,
  options: LostConversationOptions,
): Promise<void> {
  const { agent, team, bus, tasks } = options;
  const begun = tasks.openOf(agent).filter(({ state }) => state !== "submitted");
  if (begun.length === 0) return;
  const lines = [
    "You work on another machine from now on, and your conversation so far could not be brought there. You had begun these tasks. Their requests follow: go on with them, and look first at what is done already.",
  ];
  for (const task of begun) {
    lines.push(`- from ${task.from_agent}: ${task.title}`);
    for (const part of await partsOf(task, tasks))
      lines.push(
        `  - you had asked ${part.to_agent} (${part.state}): ${part.title}${await answerTo(part, options)}`,
      );
  }
  const id = idOfLossNote(session.place.logId);
  await session.send(lines.join("\n"), { id, from: SWITCHBOARD, quiet: true });
  for (const { id: request } of begun) {
    const stored = await bus.get(request);
    const around = { worksFor: [], goesOnWith: undefined };
    if (stored) await session.send(...toSessionMessage(stored.message, team, false, around));
  }
}

async function partsOf({ id }: Task, tasks: Pick<TaskBook, "page">): Promise<Task[]> {
  const fits = ({ parent }: Task): boolean => parent === id;
  const { items } = await tasks.page({ isOpen: false, fits, limit: MAX_PARTS });
  return items.toReversed();
}

async function answerTo(
  { state, outcome }: Task,
  { bus, team }: LostConversationOptions,
): Promise<string> {
  if (state !== "completed" || outcome === null) return "";
  const answer = await bus.get(outcome);
  return answer
    ? `. The answer was: ${shortenForModel(answer.message, team.limits.inline_bytes)}`
    : "";
}

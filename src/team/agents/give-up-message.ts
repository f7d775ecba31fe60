import type { Bus } from "../../bus/bus.ts";
import type { SessionClient } from "../../client/index.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AutomaticAnswers } from "../delivery/automatic-answers.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { OnTrouble } from "../timeline/report-failure.ts";
import { contextOf } from "./thread-and-task-of-turn.ts";

export interface GiveUpOptions {
  readonly agent: AgentId;
  readonly session: Pick<SessionClient, "abort">;
  readonly bus: Pick<Bus, "get">;
  readonly tasks: Pick<TaskBook, "find" | "get">;
  readonly timeline: Pick<Timeline, "append">;
  readonly replies: Pick<AutomaticAnswers, "giveUp">;
  /** How often the session was lost while it worked on each of the messages. */
  readonly maxLost: number;
  readonly onTrouble: OnTrouble;
}

/** Fails the tasks of messages with which the session was lost too often, and aborts its turn. */
export async function giveUpMessages(
  messages: readonly string[],
  { agent, session, bus, tasks, timeline, replies, maxLost, onTrouble }: GiveUpOptions,
): Promise<void> {
  if (messages.length === 0) return;
  const message = `${agent} was lost ${maxLost} times while it worked on this, so it is not tried again.`;
  const hint = `What it did last is in its session: switchboard attach ${agent}`;
  try {
    for (const id of messages) {
      const context = await contextOf(agent, [id], bus, tasks);
      const task = tasks.get(context?.taskId ?? "");
      if (task) await replies.giveUp(task, message);
    }
    timeline.append({
      type: "notice",
      agent,
      level: "error",
      code: "message_given_up",
      message,
      hint,
    });
    await session.abort();
  } catch (error) {
    onTrouble(`A message could not be taken from ${agent}`, error);
  }
}

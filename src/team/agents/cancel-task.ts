import type { DropOutcome } from "../../wire/session/answers.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { USER } from "../../wire/team/reserved-senders.ts";
import type { Task } from "../../wire/team/task.ts";
import { sendQuietNote } from "../delivery/send-quiet-note.ts";
import type { Outbox } from "../delivery/outbox.ts";
import type { AutomaticAnswers } from "../delivery/automatic-answers.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import { isEnded } from "../tasks/task-states.ts";
import type { Agent } from "./agent.ts";

export interface TaskCancellerOptions {
  readonly tasks: TaskBook;
  readonly replies: Pick<AutomaticAnswers, "giveUp">;
  readonly outbox: Outbox;
  readonly agentOf: (id: AgentId) => Agent | undefined;
}

/** Cancels tasks. */
export class TaskCanceller {
  readonly #options: TaskCancellerOptions;

  constructor(options: TaskCancellerOptions) {
    this.#options = options;
  }

  /**
   * Cancels a task with its parts: tells the agent that asked for it, and ends turns about it. Returns false when the
   * task is not open.
   */
  async cancel(id: string, by: string): Promise<boolean> {
    const task = await this.#end(id, by);
    if (task) await this.#options.replies.giveUp(task, `The task was canceled by ${by}.`);
    return task !== undefined;
  }

  /**
   * Takes a message of the user back that the model has not read, and cancels its task. Undefined when there is none of
   * that id. A running turn goes on.
   *
   * @throws `agent_unavailable` while the agent has no session that could say whether it has the message.
   */
  async takeBack(id: string, by: string): Promise<DropOutcome | undefined> {
    const { tasks, replies, agentOf } = this.#options;
    const task = await tasks.find(id);
    if (task?.from_agent !== USER) return undefined;
    const inbox = agentOf(task.to_agent)?.inbox;
    if (inbox?.hasGot(id) !== false) return "too_late";
    if (isEnded(task.state)) return task.state === "canceled" ? "dropped" : "too_late";
    const isWithSession = inbox.isWithSession(id);
    if (isWithSession && (await inbox.takeBack(id)) === "too_late") return "too_late";
    // Without a session nothing was awaited since the inbox was asked: what it has not handed over it does not now.
    if (!tasks.step(id, "canceled", `Canceled by ${by}.`)) {
      return isWithSession ? "dropped" : "too_late";
    }
    await inbox.taskCanceled(id);
    await replies.giveUp(task, `The task was canceled by ${by}.`);
    return "dropped";
  }

  async #end(id: string, by: string): Promise<Task | undefined> {
    const { tasks, outbox, agentOf } = this.#options;
    const task = tasks.get(id);
    if (!task) return undefined;
    const agent = agentOf(task.to_agent);
    const isAtIt = agent !== undefined && (await agent.isWorkingOn(id));
    const parts = tasks.openBelow(id);
    // It may have been answered meanwhile.
    if (!tasks.step(id, "canceled", `Canceled by ${by}.`)) return undefined;
    // Before its turn ends: what is left in the session's queue then starts another one.
    await agent?.inbox.taskCanceled(id);
    if (isAtIt) await agent.session?.abort();
    for (const part of parts) {
      const ended = await this.#end(part.id, by);
      // The whole task is canceled, so no agent has to act on this, and it starts no turn.
      if (ended) {
        await sendQuietNote(outbox, ended.from_agent, `${by} has canceled "${ended.title}".`);
      }
    }
    return task;
  }
}

import type { AgentId } from "../../wire/team/messages.ts";
import type { Task } from "../../wire/team/task.ts";
import { sendQuietNote } from "../delivery/send-quiet-note.ts";
import type { Outbox } from "../delivery/outbox.ts";
import type { AutomaticAnswers } from "../delivery/automatic-answers.ts";
import type { TaskBook } from "../tasks/task-book.ts";
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

import type { Bus } from "../../bus/bus.ts";
import type { CCMessage } from "../../wire/team.ts";
import { isAnswer } from "../messages/kind.ts";
import type { TaskBook } from "../tasks/task-book.ts";

/**
 * The parts that agents have given to others, and whose answers they have not dealt with: the other one
 * still works on it, or its answer is on the way.
 */
export class Parts {
  readonly #tasks: TaskBook;
  /** Answers on their way, with the task that they are for. */
  readonly #answers = new Map<string, string>();

  constructor(tasks: TaskBook) {
    this.#tasks = tasks;
  }

  /** Finds the answers that were on their way when a process before this one ended. */
  async load(bus: Bus): Promise<void> {
    const roots = new Set(this.#tasks.open().map(({ root_id }) => root_id));
    for (const rootId of roots) {
      const { items } = await bus.history({ rootId, order: "newest", limit: 500 });
      for (const { message, state } of items) {
        if (state === "waiting" || state === "leased") await this.answered(message);
      }
    }
  }

  /** An answer was sent. */
  async answered(message: CCMessage): Promise<void> {
    if (message.reply_to === null || !isAnswer(message)) return;
    const parent = (await this.#tasks.find(message.reply_to))?.parent;
    if (parent != null && this.#tasks.get(parent)) this.#answers.set(message.id, parent);
  }

  /** The answer was dealt with, or will never arrive. */
  settle(answerId: string): void {
    this.#answers.delete(answerId);
  }

  /** Is there more to come for this task than this answer? */
  areOpenBeside(task: string, answerId: string): boolean {
    const others = [...this.#answers].some(([id, parent]) => id !== answerId && parent === task);
    return others || this.#tasks.openBelow(task).length > 0;
  }

  areOpen(task: string): boolean {
    return this.#tasks.openBelow(task).length > 0 || [...this.#answers.values()].includes(task);
  }
}

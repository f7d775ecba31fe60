import type { Bus } from "../../bus/bus.ts";
import type { Logger } from "../../log/logger.ts";
import { poll } from "../../time/poll.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Task } from "../../wire/team/task.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { CommunicationRecord } from "../record/communication-record.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { OnTrouble } from "../timeline/report-failure.ts";
import { RepeatedFailureReporter } from "./report-repeated-failure.ts";
import type { AutomaticAnswers } from "./automatic-answers.ts";

const POLL_MS = 500;

export interface SilenceWatchOptions {
  /** How long an agent may be silent about a task. */
  readonly taskMs: number;
  readonly bus: Pick<Bus, "get">;
  readonly tasks: TaskBook;
  readonly communication: CommunicationRecord;
  readonly replies: AutomaticAnswers;
  readonly waitsForPerson: (agent: AgentId) => boolean;
  readonly log: Logger;
  readonly onTrouble: OnTrouble;
}

/** Ends tasks whose agents have been silent for too long. */
export class SilenceWatch {
  readonly #options: SilenceWatchOptions;
  readonly #trouble: RepeatedFailureReporter;
  #stopPolling: (() => void) | undefined;

  constructor(options: SilenceWatchOptions) {
    this.#options = options;
    this.#trouble = new RepeatedFailureReporter(options.onTrouble, "A time-out was not told");
  }

  start(): void {
    this.#stopPolling = poll(
      POLL_MS,
      () => this.#look(),
      (error) => this.#options.log.warn({ err: error }, "The silent tasks could not be read."),
    );
  }

  stop(): void {
    this.#stopPolling?.();
  }

  async #look(): Promise<void> {
    const { tasks, taskMs, waitsForPerson } = this.#options;
    for (const task of tasks.silentFor(taskMs)) {
      if (!tasks.get(task.id)) continue;
      if (waitsForPerson(task.to_agent)) tasks.touch(task.to_agent);
      else await this.#end(task);
    }
  }

  async #end(task: Task): Promise<void> {
    const { bus, communication, replies, taskMs } = this.#options;
    const why = `Nothing was heard of ${task.to_agent} about this task for ${taskMs / 1000} s.`;
    try {
      await replies.giveUp(task, why, "timed_out");
      const request = (await bus.get(task.id))?.message;
      if (request) communication.failed(request, errorOf("timeout", why));
      this.#trouble.isOver(task.id);
    } catch (error) {
      this.#trouble.tell(task.id, error);
    }
  }
}

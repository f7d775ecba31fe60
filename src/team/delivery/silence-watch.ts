import { poll } from "../../time/poll.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Task } from "../../wire/team/task.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { Office } from "../office.ts";
import { RepeatedTrouble } from "./repeated-trouble.ts";
import type { Replies } from "./replies.ts";

const POLL_MS = 500;

/** Ends the tasks of which nothing is heard any more. */
export class SilenceWatch {
  readonly #office: Office;
  readonly #replies: Replies;
  readonly #waitsForPerson: (agent: AgentId) => boolean;
  readonly #trouble: RepeatedTrouble;
  #stopPolling: (() => void) | undefined;

  constructor(office: Office, replies: Replies, waitsForPerson: (agent: AgentId) => boolean) {
    this.#office = office;
    this.#replies = replies;
    this.#waitsForPerson = waitsForPerson;
    this.#trouble = new RepeatedTrouble(office, "A time-out was not told");
  }

  start(): void {
    this.#stopPolling = poll(
      POLL_MS,
      () => this.#look(),
      (error) => this.#office.log.warn({ err: error }, "The silent tasks could not be read."),
    );
  }

  stop(): void {
    this.#stopPolling?.();
  }

  async #look(): Promise<void> {
    const { tasks, team } = this.#office;
    for (const task of tasks.silentFor(team.timeouts.taskMs)) {
      if (!tasks.get(task.id)) continue;
      if (this.#waitsForPerson(task.to_agent)) tasks.touch(task.to_agent);
      else await this.#end(task);
    }
  }

  async #end(task: Task): Promise<void> {
    const { bus, communication, team } = this.#office;
    const why = `Nothing was heard of ${task.to_agent} about this task for ${team.timeouts.taskMs / 1000} s.`;
    try {
      await this.#replies.giveUp(task, why, "timed_out");
      const request = (await bus.get(task.id))?.message;
      if (request) communication.failed(request, errorOf("timeout", why));
      this.#trouble.isOver(task.id);
    } catch (error) {
      this.#trouble.tell(task.id, error);
    }
  }
}

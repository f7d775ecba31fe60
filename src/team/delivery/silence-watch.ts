import { errorOf } from "../../wire/errors.ts";
import type { Task } from "../../wire/team-task.ts";
import type { AgentId } from "../../wire/team.ts";
import type { Office } from "../office.ts";
import type { Answers } from "./answers.ts";
import { RepeatedTrouble } from "./repeated-trouble.ts";

const POLL_MS = 500;

/** Ends the tasks of which nothing is heard any more. */
export class SilenceWatch {
  readonly #office: Office;
  readonly #answers: Answers;
  readonly #waitsForPerson: (agent: AgentId) => boolean;
  readonly #trouble: RepeatedTrouble;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(office: Office, answers: Answers, waitsForPerson: (agent: AgentId) => boolean) {
    this.#office = office;
    this.#answers = answers;
    this.#waitsForPerson = waitsForPerson;
    this.#trouble = new RepeatedTrouble(office, "A time-out was not told");
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), POLL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    // A bus that is slow is not asked for the same thing many times over.
    if (this.#looking) return;
    this.#looking = true;
    const { tasks, team } = this.#office;
    for (const task of tasks.silentFor(team.timeouts.taskMs)) {
      if (!tasks.get(task.id)) continue;
      if (this.#waitsForPerson(task.to_agent)) tasks.touch(task.to_agent);
      else await this.#end(task);
    }
    this.#looking = false;
  }

  async #end(task: Task): Promise<void> {
    const { bus, communication, team } = this.#office;
    const why = `Nothing was heard of ${task.to_agent} about this task for ${team.timeouts.taskMs / 1000} s.`;
    try {
      await this.#answers.giveUp(task, why, "timed_out");
      const request = (await bus.get(task.id))?.message;
      if (request) communication.failed(request, errorOf("timeout", why));
      this.#trouble.isOver(task.id);
    } catch (error) {
      this.#trouble.tell(task.id, error);
    }
  }
}

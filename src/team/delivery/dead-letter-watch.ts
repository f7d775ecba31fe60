import type { DeadLetter } from "../../bus/bus.ts";
import { pagesOf } from "../../bus/pages.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Task } from "../../wire/team-task.ts";
import type { Office } from "../office.ts";
import { tellTrouble } from "../office.ts";
import type { Answers } from "./answers.ts";

const POLL_MS = 500;
const PAGE = 100;
const TOLD = "dead-letters-told";

/** Tells people and senders of messages that could not be delivered. */
export class DeadLetterWatch {
  readonly #office: Office;
  readonly #answers: Answers;
  readonly #told = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(office: Office, answers: Answers) {
    this.#office = office;
    this.#answers = answers;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), POLL_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const { deadLetters } = this.#office.bus;
      for await (const letters of pagesOf((from) => deadLetters.list({ limit: PAGE, ...from }))) {
        const news = letters.filter(({ message }) => !this.#told.has(message.id));
        // The newest come first: behind a page without news there is none.
        if (news.length === 0) break;
        for (const letter of news) await this.#tell(letter);
      }
    } catch (error) {
      this.#office.log.warn({ err: error }, "The dead letters could not be read.");
    } finally {
      this.#looking = false;
    }
  }

  /** Can be done again: until all of it is written down, the next process begins anew. */
  async #tell({ message, cause, why }: DeadLetter): Promise<void> {
    const { bus, communication, parts, tasks, timeline } = this.#office;
    const { id, from_agent, to_agent } = message;
    parts.settle(id);
    if ((await bus.records.get(TOLD, id)) === undefined) {
      const reason = cause === "expired" ? "its time to live was over" : why;
      const task = tasks.get(id);
      const told = `Your message was not delivered to ${to_agent}: ${reason}.`;
      if (task) await this.#giveUp(task, told);
      communication.failed(message, errorOf("agent_unavailable", `Not delivered: ${reason}`));
      timeline.append({ type: "message_moved", id, from_agent, to_agent, step: "dead", reason }, [
        { kind: "put", collection: TOLD, key: id, value: {} },
      ]);
    }
    this.#told.add(id);
  }

  async #giveUp(task: Task, why: string): Promise<void> {
    try {
      await this.#answers.giveUp(task, why);
    } catch (error) {
      tellTrouble(this.#office, "A sender was not told", error);
    }
  }
}

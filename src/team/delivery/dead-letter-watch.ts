import type { DeadLetter } from "../../bus/bus.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Office } from "../office.ts";
import { tellTrouble } from "../office.ts";
import type { Answers } from "./answers.ts";

const POLL_MS = 500;
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
      const { items } = await this.#office.bus.deadLetters.list({ limit: 100 });
      for (const letter of items.filter(({ message }) => !this.#told.has(message.id))) {
        this.#told.add(letter.message.id);
        await this.#tell(letter);
      }
    } catch (error) {
      this.#office.log.warn({ err: error }, "The dead letters could not be read.");
    } finally {
      this.#looking = false;
    }
  }

  async #tell({ message, cause, why }: DeadLetter): Promise<void> {
    const { bus, communication, parts, tasks, timeline } = this.#office;
    parts.settle(message.id);
    const { id, from_agent, to_agent } = message;
    const put = { kind: "put", collection: TOLD, key: id, value: {} } as const;
    const { applied } = await bus.records.write([put], { once: `dead:${id}` });
    if (!applied) return;
    const reason = cause === "expired" ? "its time to live was over" : why;
    timeline.append({ type: "message_moved", id, from_agent, to_agent, step: "dead", reason });
    communication.failed(message, errorOf("agent_unavailable", `Not delivered: ${reason}`));
    const task = tasks.get(id);
    if (!task) return;
    const told = `Your message was not delivered to ${to_agent}: ${reason}.`;
    await this.#answers
      .giveUp(task, told)
      .catch((error: unknown) => tellTrouble(this.#office, "A sender was not told", error));
  }
}

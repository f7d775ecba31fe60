import type { DeadLetter } from "../../bus/bus.ts";
import { pagesOf } from "../../bus/pages.ts";
import { errorOf } from "../../wire/errors.ts";
import type { CCMessage } from "../../wire/team.ts";
import { wantsAnswer } from "../messages/kind.ts";
import { idOfDeathNotice } from "../messages/message-id.ts";
import type { Office } from "../office.ts";
import type { Answers } from "./answers.ts";
import { tellNews } from "./news.ts";
import { RepeatedTrouble } from "./repeated-trouble.ts";
import type { Router } from "./router.ts";

const POLL_MS = 500;
const PAGE = 100;
const TOLD = "dead-letters-told";

/** Tells people and senders of messages that could not be delivered. */
export class DeadLetterWatch {
  readonly #office: Office;
  readonly #router: Router;
  readonly #answers: Answers;
  readonly #trouble: RepeatedTrouble;
  readonly #told = new Set<string>();
  /** The last look has left nothing untold. */
  #isThrough = false;
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  constructor(office: Office, router: Router, answers: Answers) {
    this.#office = office;
    this.#router = router;
    this.#answers = answers;
    this.#trouble = new RepeatedTrouble(office, "A sender was not told");
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
    const wasThrough = this.#isThrough;
    this.#isThrough = false;
    try {
      const { deadLetters } = this.#office.bus;
      let failures = 0;
      for await (const letters of pagesOf((from) => deadLetters.list({ limit: PAGE, ...from }))) {
        const news = letters.filter(({ message }) => !this.#told.has(message.id));
        // Those that died last come first: behind a page without news there is what was told before.
        if (news.length === 0 && wasThrough) break;
        for (const letter of news) if (!(await this.#tryToTell(letter))) failures += 1;
      }
      this.#isThrough = failures === 0;
    } catch (error) {
      this.#office.log.warn({ err: error }, "The dead letters could not be read.");
    } finally {
      this.#looking = false;
    }
  }

  async #tryToTell(letter: DeadLetter): Promise<boolean> {
    const { id } = letter.message;
    try {
      await this.#tell(letter);
      this.#trouble.isOver(id);
      return true;
    } catch (error) {
      this.#trouble.tell(id, error);
      return false;
    }
  }

  /** Can be done again: until all of it is written down, the next look begins anew. */
  async #tell({ message, cause, why }: DeadLetter): Promise<void> {
    const { bus, communication, parts, timeline } = this.#office;
    const { id, from_agent, to_agent } = message;
    parts.settle(id);
    if ((await bus.records.get(TOLD, id)) === undefined) {
      const reason = cause === "expired" ? "its time to live was over" : why;
      await this.#tellSender(message, reason);
      communication.failed(message, errorOf("agent_unavailable", `Not delivered: ${reason}`));
      timeline.append({ type: "message_moved", id, from_agent, to_agent, step: "dead", reason }, [
        { kind: "put", collection: TOLD, key: id, value: {} },
      ]);
    }
    this.#told.add(id);
  }

  /** Whoever waits for an answer gets this one. Whoever does not should know, and need not act. */
  async #tellSender(message: CCMessage, reason: string): Promise<void> {
    const { tasks, team } = this.#office;
    const { id, from_agent, to_agent } = message;
    const task = tasks.get(id);
    if (task) {
      const why = `Your message was not delivered to ${to_agent}: ${reason}.`;
      await this.#answers.giveUp(task, why);
    } else if (!wantsAnswer(message) && team.agents.has(from_agent)) {
      const news = `Your message ${id} was not delivered to ${to_agent}: ${reason}.`;
      await tellNews(this.#router, from_agent, news, idOfDeathNotice(id));
    }
  }
}

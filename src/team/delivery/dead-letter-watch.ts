import type { Bus, DeadLetter } from "../../bus/bus.ts";
import { pagesOf } from "../../bus/read-all-pages.ts";
import type { Logger } from "../../log/logger.ts";
import { poll } from "../../time/poll.ts";
import { errorOf } from "../../wire/errors.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import { wantsAnswer } from "../messages/message-types.ts";
import { idOfDeathNotice } from "../messages/derive-message-id.ts";
import type { CommunicationRecord } from "../record/communication-record.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Timeline } from "../timeline/timeline.ts";
import type { OnTrouble } from "../timeline/report-failure.ts";
import { sendQuietNote } from "./send-quiet-note.ts";
import type { Outbox } from "./outbox.ts";
import { RepeatedFailureReporter } from "./report-repeated-failure.ts";
import type { AutomaticAnswers } from "./automatic-answers.ts";

const POLL_MS = 500;
const PAGE = 100;
const TOLD = "dead-letters-told";

export interface DeadLetterWatchOptions {
  readonly bus: Bus;
  readonly tasks: TaskBook;
  readonly timeline: Timeline;
  readonly communication: CommunicationRecord;
  readonly outbox: Outbox;
  readonly replies: AutomaticAnswers;
  readonly isAgent: (id: AgentId) => boolean;
  readonly log: Logger;
  readonly onTrouble: OnTrouble;
}

/** Tells people and senders of messages that could not be delivered. */
export class DeadLetterWatch {
  readonly #options: DeadLetterWatchOptions;
  readonly #trouble: RepeatedFailureReporter;
  readonly #reported = new Set<string>();
  /** Whether the last look has reported all dead letters. */
  #isThrough = false;
  #stopPolling: (() => void) | undefined;

  constructor(options: DeadLetterWatchOptions) {
    this.#options = options;
    this.#trouble = new RepeatedFailureReporter(options.onTrouble, "A sender was not told");
  }

  start(): void {
    this.#stopPolling = poll(
      POLL_MS,
      () => this.#look(),
      (error) => this.#options.log.warn({ err: error }, "The dead letters could not be read."),
    );
  }

  stop(): void {
    this.#stopPolling?.();
  }

  async #look(): Promise<void> {
    const wasThrough = this.#isThrough;
    this.#isThrough = false;
    const { deadLetters } = this.#options.bus;
    let failures = 0;
    for await (const letters of pagesOf((from) => deadLetters.list({ limit: PAGE, ...from }))) {
      const news = letters.filter(({ message }) => !this.#reported.has(message.id));
      // The newest dead letters come first, so the pages after one without new ones hold only what was reported
      // before.
      if (news.length === 0 && wasThrough) break;
      for (const letter of news) if (!(await this.#tryToTell(letter))) failures += 1;
    }
    this.#isThrough = failures === 0;
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

  /** Can be repeated: until all of it is written down, the next look starts from the beginning. */
  async #tell({ message, cause, why }: DeadLetter): Promise<void> {
    const { bus, communication, timeline } = this.#options;
    const { id, from_agent, to_agent } = message;
    if ((await bus.records.get(TOLD, id)) === undefined) {
      const reason = cause === "expired" ? "its time to live was over" : why;
      await this.#tellSender(message, reason);
      communication.failed(message, errorOf("agent_unavailable", `Not delivered: ${reason}`));
      timeline.append({ type: "message_moved", id, from_agent, to_agent, step: "dead", reason }, [
        { kind: "put", collection: TOLD, key: id, value: {} },
      ]);
    }
    this.#reported.add(id);
  }

  /** An agent that waits for an answer gets this one. Any other sender is told, and need not act. */
  async #tellSender(message: CCMessage, reason: string): Promise<void> {
    const { tasks, outbox, replies, isAgent } = this.#options;
    const { id, from_agent, to_agent } = message;
    const task = tasks.get(id);
    if (task) {
      const why = `Your message was not delivered to ${to_agent}: ${sentence(reason)}`;
      await replies.giveUp(task, why);
    } else if (!wantsAnswer(message) && isAgent(from_agent)) {
      const note = `Your message ${id} was not delivered to ${to_agent}: ${sentence(reason)}`;
      await sendQuietNote(outbox, from_agent, note, idOfDeathNotice(id));
    }
  }
}

/** With one full stop at its end. */
const sentence = (words: string): string => `${words.replace(/\.+$/, "")}.`;

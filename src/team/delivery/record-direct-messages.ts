import type { Bus } from "../../bus/bus.ts";
import type { SessionEventOf } from "../../wire/session/events.ts";
import type { StoredText } from "../../wire/blob.ts";
import type { StoredContentBlock } from "../../wire/content.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import { CCMessageSchema } from "../../wire/team/messages.ts";
import { composeMessage } from "../messages/compose-message.ts";
import { cutToMessageLimit } from "../messages/cut-to-message-limit.ts";
import { USER } from "../../wire/team/reserved-senders.ts";
import type { TaskBook } from "../tasks/task-book.ts";
import type { Outbox } from "./outbox.ts";
import type { AutomaticAnswers } from "./automatic-answers.ts";

type Spoken = SessionEventOf<"user_message">;

/** Only the user's own words count, and only those that start a turn. A message of the bus has a UUID. */
const isOfPerson = ({ id, from, quiet }: Spoken): boolean =>
  from === undefined && quiet !== true && CCMessageSchema.shape.id.safeParse(id).data === id;

export interface DirectMessagesOptions {
  readonly bus: Pick<Bus, "get">;
  readonly tasks: Pick<TaskBook, "get" | "rowOf" | "step">;
  readonly outbox: Pick<Outbox, "record">;
  readonly replies: Pick<AutomaticAnswers, "giveUp">;
}

/**
 * What a person says straight to an agent's session, as `switchboard attach` does. It is recorded like what
 * `switchboard send` says: as a message of the user, with a task that the turn's final text answers. It is in the
 * session's log already, so nothing is delivered.
 */
export class DirectMessages {
  readonly #options: DirectMessagesOptions;

  constructor(options: DirectMessagesOptions) {
    this.#options = options;
  }

  /** Records the event once, also when it is read again after a restart. */
  async record(agent: AgentId, event: Spoken): Promise<void> {
    const { bus, tasks, outbox } = this.#options;
    if (!isOfPerson(event) || (await bus.get(event.id))) return;
    const message = composeMessage({
      id: event.id,
      from: USER,
      input: { to: agent, content: cutToMessageLimit(wordsOf(event)) },
      answered: undefined,
      thread: undefined,
      now: new Date(event.at),
    });
    await outbox.record(message, tasks.rowOf(message, undefined, []), event.by);
  }

  /**
   * The session has dropped a message. If a person had given it to the session directly, this ends its task.
   *
   * @param isTakenBack because a person wanted it back: nothing has failed.
   */
  async dropped(
    { id, reason }: SessionEventOf<"message_dropped">,
    isTakenBack: boolean,
  ): Promise<void> {
    const { bus, tasks, replies } = this.#options;
    const task = tasks.get(id);
    const isSettled = task && (await bus.get(id))?.state === "done";
    if (!isSettled) return;
    // Whoever has asked for it may come later than the session's event, or never, after a crash.
    if (isTakenBack) tasks.step(id, "canceled", "It was taken back.");
    await replies.giveUp(task, `The session dropped it (${reason}).`);
  }
}

function wordsOf({ text, content = [] }: Spoken): string {
  const words = text === undefined ? content.map(wordsOfBlock).join("\n") : textOf(text);
  return words === "" ? "(without words)" : words;
}

const wordsOfBlock = (block: StoredContentBlock): string =>
  block.type === "text" ? textOf(block.text) : `[${block.type}]`;

const textOf = (stored: StoredText): string =>
  typeof stored === "string" ? stored : stored.preview;

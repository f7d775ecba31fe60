import type { Records, Write } from "../../bus/records.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import { isAnswer, isControl } from "../messages/message-types.ts";
import type { RateLimiter } from "../rules/rate-limiter.ts";
import { MessagesPerRoot } from "../rules/messages-per-root.ts";
import type { TaskBook } from "../tasks/task-book.ts";

/** Counts messages that are sent or about to be sent, so that calls made together cannot pass a limit. */
export class SendCounts {
  readonly rate: RateLimiter;
  readonly roots: MessagesPerRoot;
  readonly #tasks: Pick<TaskBook, "get">;
  /** By task: the answer that is being sent, and that came first. */
  readonly #firstAnswers = new Map<string, string>();

  constructor(rate: RateLimiter, records: Pick<Records, "get">, tasks: Pick<TaskBook, "get">) {
    this.rate = rate;
    this.roots = new MessagesPerRoot(records);
    this.#tasks = tasks;
  }

  /** Counts a message that is about to be sent. */
  begin(message: CCMessage): void {
    this.rate.count(message.from_agent, message.to_agent);
    // A message that the team's process answers itself is never sent.
    if (!isControl(message)) this.roots.begin(message.root_id);
  }

  /** To be written together with the message. */
  writeOf({ root_id }: CCMessage): Write {
    return this.roots.writeOf(root_id);
  }

  /** Records whether the message was sent. */
  end({ id, from_agent, to_agent, root_id, reply_to }: CCMessage, wasSent: boolean): void {
    if (!wasSent) this.rate.release(from_agent, to_agent);
    this.roots.end(root_id, wasSent);
    const isFirst = reply_to !== null && this.#firstAnswers.get(reply_to) === id;
    if (isFirst) this.#firstAnswers.delete(reply_to);
  }

  /**
   * Whether this is the answer that an open task waits for. Of several answers at once it is the first, until its
   * sending has ended.
   */
  isAwaited(message: CCMessage): boolean {
    const { id, reply_to } = message;
    if (reply_to === null || !isAnswer(message) || !this.#tasks.get(reply_to)) return false;
    const first = this.#firstAnswers.get(reply_to) ?? id;
    this.#firstAnswers.set(reply_to, first);
    return first === id;
  }
}

import type { AgentId, CCMessage } from "../../wire/team.ts";
import { isAnswer, wantsAnswer } from "../messages/kind.ts";
import { SWITCHBOARD } from "../messages/user.ts";
import type { Wait } from "../rules/waits.ts";

/** What ended a wait: the answer, a question that comes first, or the news that it came as a message. */
export type WaitEnd =
  | { readonly kind: "answer" | "question"; readonly message: CCMessage }
  | { readonly kind: "delivered" };

export interface OpenWait extends Wait {
  /** What was sent. */
  readonly messageId: string;
  /** Requests of the waiter whose answer ends this wait as well. */
  readonly alsoFor: readonly string[];
  /** The model's id of the call, whose result will carry what ended the wait. */
  readonly toolUseId: string | undefined;
  readonly end: (end: WaitEnd) => void;
}

/** How many answers are remembered that came as messages before anybody waited for them. */
const MAX_REMEMBERED = 1000;

/** The calls of send_message that have not returned because they wait for an answer. */
export class Waits implements Iterable<OpenWait> {
  readonly #open = new Set<OpenWait>();
  readonly #delivered = new Set<string>();
  readonly #listeners = new Map<string, (() => void)[]>();

  add(wait: OpenWait): void {
    this.#open.add(wait);
    for (const tell of this.#listeners.get(wait.messageId) ?? []) tell();
  }

  remove(wait: OpenWait): void {
    this.#open.delete(wait);
  }

  of(agent: AgentId): OpenWait[] {
    return [...this.#open].filter(({ waiter }) => waiter === agent);
  }

  /** The wait that this message ends. */
  endedBy(message: CCMessage): OpenWait | undefined {
    return [...this.#open].find((wait) => {
      const isFrom = [wait.awaited, SWITCHBOARD].includes(message.from_agent);
      if (!isFrom || message.to_agent !== wait.waiter) return false;
      if (wantsAnswer(message)) return message.root_id === wait.root_id;
      const { reply_to } = message;
      if (reply_to === null || !isAnswer(message)) return false;
      return reply_to === wait.messageId || wait.alsoFor.includes(reply_to);
    });
  }

  /** The answer to this message has been put into the conversation, so that nobody need wait for it. */
  cameAsMessage(answer: CCMessage): void {
    if (answer.reply_to === null) return;
    this.#delivered.add(answer.reply_to);
    const [oldest] = this.#delivered;
    if (this.#delivered.size > MAX_REMEMBERED && oldest !== undefined) {
      this.#delivered.delete(oldest);
    }
    for (const wait of this.#open) {
      if (wait.messageId === answer.reply_to) wait.end({ kind: "delivered" });
    }
  }

  hasCome(messageId: string): boolean {
    return this.#delivered.has(messageId);
  }

  /** Calls back when somebody begins to wait for the answer to this message. Gives back how to stop. */
  onWait(messageId: string, call: () => void): () => void {
    this.#listeners.set(messageId, [...(this.#listeners.get(messageId) ?? []), call]);
    return () => {
      const rest = (this.#listeners.get(messageId) ?? []).filter((each) => each !== call);
      if (rest.length === 0) this.#listeners.delete(messageId);
      else this.#listeners.set(messageId, rest);
    };
  }

  [Symbol.iterator](): Iterator<OpenWait> {
    return this.#open.values();
  }
}

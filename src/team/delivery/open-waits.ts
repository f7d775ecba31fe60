import type { Bus } from "../../bus/bus.ts";
import { pagesOf } from "../../bus/read-all-pages.ts";
import type { AgentId, CCMessage } from "../../wire/team/messages.ts";
import { isAnswer, wantsAnswer } from "../messages/message-types.ts";
import { SWITCHBOARD } from "../../wire/team/reserved-senders.ts";
import type { Wait } from "../rules/check-wait-cycle.ts";

/** What ended a wait: the answer, a question that came first, or the news that the answer came as a message. */
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

/** The calls of send_message that have not returned because they wait for an answer. */
export class Waits implements Iterable<OpenWait> {
  readonly #open = new Set<OpenWait>();
  readonly #listeners = new Set<(wait: OpenWait) => void>();

  add(wait: OpenWait): void {
    this.#open.add(wait);
    for (const listener of this.#listeners) listener(wait);
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

  /** The result of this call brings the message. The same call may have been sent twice. */
  endCall(call: string, message: CCMessage): void {
    const kind = wantsAnswer(message) ? "question" : "answer";
    for (const wait of this.of(message.to_agent)) {
      if (wait.toolUseId === call) wait.end({ kind, message });
    }
  }

  /** The answer comes as a message of its own, so no call has to wait for it. */
  cameAsMessage({ reply_to }: CCMessage): void {
    for (const wait of this.#open) {
      if (wait.messageId === reply_to) wait.end({ kind: "delivered" });
    }
  }

  /** Returns a function that ends the subscription. */
  onOpen(listener: (wait: OpenWait) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  [Symbol.iterator](): Iterator<OpenWait> {
    return this.#open.values();
  }
}

/** The wait of a call that sends this message and asks for what follows. */
export const waitOf = (message: CCMessage): Wait => ({
  waiter: message.from_agent,
  awaited: message.to_agent,
  root_id: message.root_id,
  asks: wantsAnswer(message),
});

/**
 * What the awaited agent has asked the waiter under the same root, and the waiter has not got yet, oldest
 * first. It ends a wait as soon as that begins: the agent that asks may be waiting for the answer itself.
 *
 * @param hasGot the waiter's conversation has it. After a crash it may be in the inbox all the same.
 */
export async function pendingQuestions(
  bus: Pick<Bus, "history">,
  { waiter, awaited, root_id: rootId }: Wait,
  hasGot: (id: string) => boolean | Promise<boolean>,
): Promise<CCMessage[]> {
  const asked = { from: awaited, to: waiter, rootId, type: "task_request" } as const;
  const oldest = { ...asked, order: "oldest" } as const;
  const questions: CCMessage[] = [];
  for await (const page of pagesOf((from) => bus.history({ ...oldest, ...from }))) {
    for (const { message, state } of page) {
      if (state === "waiting" && !(await hasGot(message.id))) questions.push(message);
    }
  }
  return questions;
}

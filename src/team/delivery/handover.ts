import type { Delivery } from "../../bus/bus.ts";
import type { CCMessage } from "../../wire/team.ts";
import { wantsAnswer } from "../messages/kind.ts";
import type { Waits } from "./waits.ts";

/** A message that was handed to a waiting call. A question has no delivery, unless it was claimed all the same. */
export interface Given {
  readonly message: CCMessage;
  readonly delivery: Delivery | undefined;
}

/**
 * What was handed to a waiting call. It counts as delivered when the result of that call stands in the
 * conversation with the message's id in it; before that it can still be pushed as a message.
 */
export class Handover {
  readonly #waits: Waits;
  readonly #isOpen: (call: string) => boolean;
  /** By the message's id. */
  readonly #given = new Map<string, Given & { readonly call: string }>();

  /** @param isOpen does this call still wait for its result? */
  constructor(waits: Waits, isOpen: (call: string) => boolean) {
    this.#waits = waits;
    this.#isOpen = isOpen;
  }

  /** False when nobody waits for it. */
  give(message: CCMessage, delivery?: Delivery): boolean {
    const known = this.#given.get(message.id);
    if (known) {
      // An urgent question is claimed also while a call has it.
      if (delivery) this.#given.set(message.id, { ...known, delivery });
      return true;
    }
    const wait = this.#waits.endedBy(message);
    const call = wait?.toolUseId;
    // A wait may outlive its call for a moment, and nothing would tell that it has carried nothing.
    if (call === undefined || !this.#isOpen(call)) return false;
    this.#given.set(message.id, { message, delivery, call });
    wait?.end({ kind: wantsAnswer(message) ? "question" : "answer", message });
    return true;
  }

  /** Takes back what was handed to this call. */
  ended(callId: string): Given[] {
    return this.#take(({ call }) => call === callId);
  }

  /** Takes back all that no result has carried so far. */
  release(): Given[] {
    return this.#take(() => true);
  }

  #take(fits: (given: { readonly call: string }) => boolean): Given[] {
    const taken = [...this.#given.values()].filter(fits);
    for (const { message } of taken) this.#given.delete(message.id);
    return taken;
  }
}

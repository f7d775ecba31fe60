import type { Delivery } from "../../bus/bus.ts";
import type { CCMessage } from "../../wire/team.ts";
import { wantsAnswer } from "../messages/kind.ts";
import type { Waits } from "./waits.ts";

/** A message that was handed to a waiting call. A question is not leased meanwhile: it has no delivery. */
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
  readonly #given = new Map<Given, string>();

  constructor(waits: Waits) {
    this.#waits = waits;
  }

  /** False when nobody waits for it, or another call has it already. */
  give(message: CCMessage, delivery?: Delivery): boolean {
    if ([...this.#given.keys()].some((given) => given.message.id === message.id)) return false;
    const wait = this.#waits.endedBy(message);
    if (wait?.toolUseId === undefined) return false;
    this.#given.set({ message, delivery }, wait.toolUseId);
    wait.end({ kind: wantsAnswer(message) ? "question" : "answer", message });
    return true;
  }

  /** What was handed to this call, and whether it is what its result carries. */
  ended(callId: string, carriedId: string | undefined): (Given & { carried: boolean })[] {
    const ended = [...this.#given].filter(([, call]) => call === callId);
    return ended.map(([given]) => {
      this.#given.delete(given);
      return { ...given, carried: given.message.id === carriedId };
    });
  }

  /** Takes back all that no result has carried so far. */
  release(): Delivery[] {
    const deliveries = [...this.#given.keys()].flatMap(({ delivery }) => delivery ?? []);
    this.#given.clear();
    return deliveries;
  }
}

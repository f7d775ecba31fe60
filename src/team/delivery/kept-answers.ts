import type { Delivery } from "../../bus/bus.ts";
import type { Waits } from "./waits.ts";

/** How long the bridge tries to send a call again after this process was restarted, and a little more. */
const RESEND_MS = 35_000;

/**
 * Answers to calls that were made before this process was restarted. The bridge is about to send those
 * calls again, so their answers are kept for them; until it is clear that it will not.
 */
export class KeptAnswers {
  readonly #waits: Waits;
  readonly #kept = new Map<Delivery, { call: string; end: () => void }>();

  constructor(waits: Waits) {
    this.#waits = waits;
  }

  /** @param tell called once, when somebody waits for the answer, or when nobody has for too long. */
  keep(delivery: Delivery, replyTo: string, call: string, tell: () => void): void {
    const end = (): void => {
      clearTimeout(timer);
      stop();
      this.#kept.delete(delivery);
    };
    const finish = (): void => {
      end();
      tell();
    };
    const stop = this.#waits.onWait(replyTo, finish);
    const timer = setTimeout(finish, RESEND_MS);
    this.#kept.set(delivery, { call, end });
  }

  /** Takes back those whose call will not be sent again: it has a result, or its turn is over. */
  release(isOpen: (call: string) => boolean): Delivery[] {
    return [...this.#kept].flatMap(([delivery, { call, end }]) => {
      if (isOpen(call)) return [];
      end();
      return [delivery];
    });
  }
}

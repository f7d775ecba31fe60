import type { WireError } from "../../wire/error-wire.ts";
import { toWire } from "../../wire/error-wire.ts";

/** What a person has entered and the session has not confirmed. */
export class Unsent {
  readonly #entries = new Set<{ readonly text: string }>();

  get texts(): string[] {
    return Array.from(this.#entries, ({ text }) => text);
  }

  /**
   * Keeps the text until the session has answered. Resolves with the session's error if it refuses. A lost connection
   * is no answer: the text stays here.
   */
  async until(answered: Promise<unknown>, text: string): Promise<WireError | undefined> {
    const entry = { text };
    this.#entries.add(entry);
    let refusal: WireError | undefined;
    try {
      await answered;
    } catch (thrown) {
      refusal = toWire(thrown);
    }
    if (refusal?.code === "connection_lost") return undefined;
    this.#entries.delete(entry);
    return refusal;
  }
}

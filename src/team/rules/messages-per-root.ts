import type { Records, Write } from "../../bus/records.ts";

const ROOTS = "roots";
/** Exchanges that are counted in memory; the rows of others are read again when they go on. */
const MAX_KNOWN = 1000;

interface Known {
  /** The count of messages that were sent before it was read. */
  readonly before: Promise<number>;
  /** Sent since then, or about to be. */
  since: number;
  /** About to be sent. */
  open: number;
}

/**
 * How many messages each exchange has had. The rows are the truth; memory also counts what is about to be sent, so that
 * calls made together cannot pass the limit.
 */
export class MessagesPerRoot {
  readonly #records: Pick<Records, "get">;
  readonly #known = new Map<string, Known>();

  constructor(records: Pick<Records, "get">) {
    this.#records = records;
  }

  /** Resolves to a function that returns the number at the time of its call. */
  async counterOf(rootId: string): Promise<() => number> {
    const known = this.#knownOf(rootId);
    const before = await known.before;
    return () => before + known.since;
  }

  /** One more is about to be sent. */
  begin(rootId: string): void {
    const known = this.#knownOf(rootId);
    known.since += 1;
    known.open += 1;
  }

  /** To be written together with the message. */
  writeOf(rootId: string): Write {
    return { kind: "add", collection: ROOTS, key: rootId, amounts: { messages: 1 } };
  }

  /** Records whether the message was sent. */
  end(rootId: string, wasSent: boolean): void {
    const known = this.#known.get(rootId);
    if (!known) return;
    known.open -= 1;
    if (!wasSent) known.since -= 1;
  }

  /** Reads the row at once, so that it does not contain what is sent from now on. */
  #knownOf(rootId: string): Known {
    const found = this.#known.get(rootId);
    if (found) return found;
    const known = { before: this.#read(rootId), since: 0, open: 0 };
    // The caller that needs the number gets the error.
    known.before.catch(() => {});
    this.#known.set(rootId, known);
    this.#forgetOldest();
    return known;
  }

  async #read(rootId: string): Promise<number> {
    try {
      const row = await this.#records.get(ROOTS, rootId);
      return Number(row?.value["messages"] ?? 0);
    } catch (error) {
      this.#known.delete(rootId);
      throw error;
    }
  }

  #forgetOldest(): void {
    if (this.#known.size <= MAX_KNOWN) return;
    for (const [rootId, { open }] of this.#known) {
      if (open > 0) continue;
      this.#known.delete(rootId);
      return;
    }
  }
}

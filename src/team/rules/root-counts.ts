import type { Records, Write } from "../../bus/records.ts";

const ROOTS = "roots";
/** Exchanges that are counted in memory; the rows of others are read again when they go on. */
const MAX_KNOWN = 1000;

interface Known {
  /** Of the messages that were sent before it was known. */
  readonly before: Promise<number>;
  /** Sent since then, or about to be. */
  since: number;
  /** About to be sent. */
  open: number;
}

/**
 * How many messages each exchange has had. The rows are the truth, and memory is ahead of them by what is
 * about to be sent: of many calls at once only as many pass as may.
 */
export class RootCounts {
  readonly #records: Pick<Records, "get">;
  readonly #known = new Map<string, Known>();

  constructor(records: Pick<Records, "get">) {
    this.#records = records;
  }

  /** Resolves to a function that tells the number at the time of its call. */
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

  /** It was sent, or was not after all. */
  end(rootId: string, wasSent: boolean): void {
    const known = this.#known.get(rootId);
    if (!known) return;
    known.open -= 1;
    if (!wasSent) known.since -= 1;
  }

  /** Asks for the row at once: whatever is sent from now on comes after it, and is not in it. */
  #knownOf(rootId: string): Known {
    const found = this.#known.get(rootId);
    if (found) return found;
    const known = { before: this.#read(rootId), since: 0, open: 0 };
    // Whoever needs the number hears of it.
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

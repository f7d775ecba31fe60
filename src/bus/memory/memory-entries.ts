import type { EntryDraft, Entry } from "../changelog/entry.ts";
import type {
  EntryStream,
  Expectation,
  LookOutcome,
  PublishOutcome,
} from "../changelog/entry-stream.ts";

/** What may happen to a call on its way to the log or back. */
export type WayFault =
  /** It never arrives. */
  | "lost"
  /** It arrives, and its answer does not. */
  | "unanswered"
  /** A copy of it arrives at some later moment. */
  | "late"
  | "refused";

/** The log of a team in memory, shared by all its offices. Copies of entries may still be on their way to it. */
export class MemoryLog {
  readonly logId: string;
  readonly entries: Entry[] = [];
  #late: { draft: EntryDraft; expectation: Expectation }[] = [];

  constructor(logId = "log-1") {
    this.logId = logId;
  }

  /** Returns its number, or undefined when the expectation does not hold. */
  write(draft: EntryDraft, expectation: Expectation): number | undefined {
    const found =
      "lastSeq" in expectation
        ? this.entries.length === expectation.lastSeq
        : (this.newestOffice()?.seq ?? 0) === expectation.lastOfficeSeq;
    if (!found) return undefined;
    const seq = this.entries.length + 1;
    this.entries.push({ ...draft, seq });
    return seq;
  }

  newestOffice(): Entry | undefined {
    return this.entries.findLast(({ kind }) => kind === "office");
  }

  delay(draft: EntryDraft, expectation: Expectation): void {
    this.#late.push({ draft, expectation });
  }

  /** Some of the copies that are on their way arrive, in whatever order. */
  arrive(isDue: () => boolean): void {
    const due = this.#late.filter(isDue);
    this.#late = this.#late.filter((each) => !due.includes(each));
    for (const { draft, expectation } of due.toReversed()) this.write(draft, expectation);
  }
}

/** What happens between one process and the log. Each call asks once. */
export interface Way {
  /** Resolves when the call may go on: others may come first. */
  pass(): Promise<void>;
  fault(): WayFault | undefined;
}

const plainWay: Way = { pass: async () => {}, fault: () => undefined };

/** A changelog in memory, for tests: any call can be made to fail on its way. */
export class MemoryEntries implements EntryStream {
  readonly logId: string;
  readonly maxDataBytes: number;
  readonly #log: MemoryLog;
  readonly #way: Way;

  constructor(log: MemoryLog, way: Way = plainWay, maxDataBytes = 900_000) {
    this.#log = log;
    this.#way = way;
    this.logId = log.logId;
    this.maxDataBytes = maxDataBytes;
  }

  async publish(draft: EntryDraft, expectation: Expectation): Promise<PublishOutcome> {
    await this.#way.pass();
    const fault = this.#way.fault();
    if (fault === "refused") return { kind: "refused", why: "it is full" };
    if (fault === "late") this.#log.delay(draft, expectation);
    if (fault === "lost" || fault === "late") return { kind: "unclear", why: "no answer" };
    const seq = this.#log.write(draft, expectation);
    await this.#way.pass();
    if (fault === "unanswered") return { kind: "unclear", why: "no answer" };
    if (seq === undefined) return { kind: "unclear", why: "wrong last sequence" };
    return { kind: "written", seq };
  }

  look(seq: number): Promise<LookOutcome> {
    return this.#look(() => this.#log.entries[seq - 1]);
  }

  newestOffice(): Promise<LookOutcome> {
    return this.#look(() => this.#log.newestOffice());
  }

  async approximateEnd(): Promise<number> {
    await this.#way.pass();
    return this.#log.entries.length;
  }

  async *read(after: number, upTo: number): AsyncGenerator<Entry, void> {
    await this.#way.pass();
    yield* this.#log.entries.slice(after, upTo);
  }

  async close(): Promise<void> {}

  /** An answer that is late says what was there, and one that was refused says nothing. */
  async #look(find: () => Entry | undefined): Promise<LookOutcome> {
    await this.#way.pass();
    const fault = this.#way.fault();
    const entry = find();
    await this.#way.pass();
    if (fault === "lost" || fault === "unanswered") return { kind: "failed", why: "no answer" };
    // As a server that leads no more.
    if (fault === "late" || !entry) return { kind: "nothing" };
    return { kind: "found", entry };
  }
}

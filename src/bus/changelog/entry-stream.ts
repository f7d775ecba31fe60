import type { EntryDraft, Entry } from "./entry.ts";

/**
 * The port behind which a team's changelog is stored: entries with the numbers 1, 2, 3, and so on, which are never
 * changed and never removed. All that it has to promise is that an entry is stored if and only if its expectation holds at
 * that moment, and that what it says is written stays.
 */
export interface EntryStream {
  readonly logId: string;
  /** What fits into one entry. */
  readonly maxDataBytes: number;
  /** Never fails: what is not certain is `unclear`, and the entry may be written later. */
  publish(draft: EntryDraft, expectation: Expectation): Promise<PublishOutcome>;
  /** Never fails. An entry that it returns is durable; that it returns none proves nothing. */
  look(seq: number): Promise<LookOutcome>;
  /** The newest office entry; it may be behind, as what `look` does not find. */
  newestOffice(): Promise<LookOutcome>;
  /** About where the log ends: it may be behind. Fails with `bus_unavailable`. */
  approximateEnd(): Promise<number>;
  /** The entries from `after + 1` to `upTo`, which must exist. Fails with `bus_unavailable` or `bus_invalid`. */
  read(after: number, upTo: number): AsyncIterable<Entry>;
  close(): Promise<void>;
}

/** What must hold when an entry is written: the number of the last entry, or that of the last office entry. */
export type Expectation = { lastSeq: number } | { lastOfficeSeq: number };

export type PublishOutcome =
  | { kind: "written"; seq: number }
  /** It is not written, and will not be: the log is full. */
  | { kind: "refused"; why: string }
  | { kind: "unclear"; why: string };

export type LookOutcome =
  | { kind: "found"; entry: Entry }
  | { kind: "nothing" }
  | { kind: "failed"; why: string };

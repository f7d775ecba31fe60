import { createHash } from "node:crypto";

/** What one entry of a team's changelog says, before it has its sequence number. */
export interface EntryDraft {
  /** `batch`: effects of operations. `office`: another process writes from here on. */
  readonly kind: "batch" | "office";
  /** Of the log: random, chosen when the log began. */
  readonly logId: string;
  /** Counts the offices; an entry has that of the newest office entry before it. */
  readonly epoch: number;
  /** Random for each batch and each office: so an entry is known again, also a late copy of it. */
  readonly batch: string;
  /** A large batch stands in several entries, one behind the other: `part` of `parts`, from 1. */
  readonly part: number;
  readonly parts: number;
  /** The version of the tables that the effects belong to. */
  readonly schema: number;
  /** The chain up to this entry. An office entry has none: its writer does not know what stands before it. */
  readonly chain: string | undefined;
  readonly data: Uint8Array;
}

export interface Entry extends EntryDraft {
  readonly seq: number;
}

/** How far a log was read or written: the last entry, and the hash of all entries up to it. */
export interface Head {
  readonly seq: number;
  readonly chain: string;
}

export const beginningOf = (logId: string): Head => ({ seq: 0, chain: logId });

type Hashed = Omit<EntryDraft, "logId" | "chain">;

/** The chain up to an entry, from the one before it: two logs with the same chain are the same up to there. */
export function chainAfter(before: string, entry: Hashed): string {
  const { kind, epoch, batch, part, parts, schema, data } = entry;
  const facts = [before, kind, epoch, batch, part, parts, schema].join("\n");
  return createHash("sha256").update(facts).update("\n").update(data).digest("base64url");
}

export const headAfter = ({ chain }: Head, entry: Entry): Head => ({
  seq: entry.seq,
  chain: chainAfter(chain, entry),
});

export const isSamePart = (a: EntryDraft, b: EntryDraft): boolean =>
  a.batch === b.batch && a.part === b.part;

import type { Entry } from "../choose.ts";
import type { DeathCause } from "../bus.ts";
import type { Line } from "../lanes.ts";
import type { DeadRow, Letter, RecordRow } from "../store.ts";

export interface KeptMessage extends Letter {
  seq: number;
  sentAt: number;
  /** While it waits. */
  entry: Entry | undefined;
  attempts: number;
  settledAt: number | null;
  dead: Pick<DeadRow, "seq" | "cause" | "why" | "fate" | "resentAs"> | undefined;
}

/** What outlives one opening of a bus in memory, as a disk would. */
export class MemoryDisk {
  readonly messages: KeptMessage[] = [];
  readonly byId = new Map<string, KeptMessage>();
  records = new Map<string, RecordRow>();
  readonly onces = new Set<string>();
  readonly #lines = new Map<string, Map<number, Entry>>();
  readonly #places = new Map<string, number>();
  #lastRecord = 0;
  #deaths = 0;

  add(letter: Letter, nowMs: number): void {
    const seq = this.messages.length + 1;
    const place = (this.#places.get(letter.recipient) ?? 0) + 1;
    this.#places.set(letter.recipient, place);
    const { sender, bytes, expiresAt } = letter;
    const entry = { seq, sender, place, bytes, expiresAt, attempts: 0 };
    const kept: KeptMessage = {
      ...letter,
      seq,
      entry,
      attempts: 0,
      sentAt: nowMs,
      settledAt: null,
      dead: undefined,
    };
    this.messages.push(kept);
    this.byId.set(letter.id, kept);
    this.line(letter.recipient, letter).set(seq, entry);
  }

  line(recipient: string, { priority, lane }: Line): Map<number, Entry> {
    const key = `${recipient}/${priority}/${lane}`;
    const line = this.#lines.get(key) ?? new Map<number, Entry>();
    this.#lines.set(key, line);
    return line;
  }

  message(seq: number): KeptMessage | undefined {
    return this.messages[seq - 1];
  }

  settle(kept: KeptMessage, nowMs: number): void {
    this.line(kept.recipient, kept).delete(kept.seq);
    kept.entry = undefined;
    kept.settledAt = nowMs;
  }

  bury(kept: KeptMessage, cause: DeathCause, why: string, nowMs: number): void {
    this.settle(kept, nowMs);
    this.#deaths += 1;
    kept.dead = { seq: this.#deaths, cause, why, fate: "open", resentAs: null };
  }

  nextRecord(): number {
    this.#lastRecord += 1;
    return this.#lastRecord;
  }
}

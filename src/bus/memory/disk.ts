import type { WaitingMessage } from "../pick-deliveries.ts";
import type { DeathCause } from "../bus.ts";
import type { Line } from "../inbox-order.ts";
import type { DeadRow, StoredMessage, RecordRow } from "../store.ts";

export interface MemoryMessage extends StoredMessage {
  seq: number;
  sentAt: number;
  /** Set while it waits. */
  entry: WaitingMessage | undefined;
  attempts: number;
  settledAt: number | null;
  dead: Pick<DeadRow, "seq" | "cause" | "why" | "fate" | "resentAs"> | undefined;
}

/** What outlives one opening of a memory bus, like a disk. */
export class MemoryDisk {
  readonly messages: MemoryMessage[] = [];
  readonly byId = new Map<string, MemoryMessage>();
  records = new Map<string, RecordRow>();
  readonly onces = new Set<string>();
  readonly #lines = new Map<string, Map<number, WaitingMessage>>();
  readonly #places = new Map<string, number>();
  #lastRecord = 0;
  #deaths = 0;

  add(letter: StoredMessage, nowMs: number): void {
    const seq = this.messages.length + 1;
    const place = (this.#places.get(letter.recipient) ?? 0) + 1;
    this.#places.set(letter.recipient, place);
    const { sender, bytes, expiresAt } = letter;
    const entry = { seq, sender, place, bytes, expiresAt, attempts: 0 };
    const kept: MemoryMessage = {
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

  line(recipient: string, { priority, lane }: Line): Map<number, WaitingMessage> {
    const key = `${recipient}/${priority}/${lane}`;
    const line = this.#lines.get(key) ?? new Map<number, WaitingMessage>();
    this.#lines.set(key, line);
    return line;
  }

  message(seq: number): MemoryMessage | undefined {
    return this.messages[seq - 1];
  }

  settle(kept: MemoryMessage, nowMs: number): void {
    this.line(kept.recipient, kept).delete(kept.seq);
    kept.entry = undefined;
    kept.settledAt = nowMs;
  }

  bury(kept: MemoryMessage, cause: DeathCause, why: string, nowMs: number): void {
    this.settle(kept, nowMs);
    this.#deaths += 1;
    kept.dead = { seq: this.#deaths, cause, why, fate: "open", resentAs: null };
  }

  nextRecord(): number {
    this.#lastRecord += 1;
    return this.#lastRecord;
  }
}

import type { LeasesAndDelays } from "./leases-and-delays.ts";
import type { Line } from "./inbox-order.ts";
import { headStart } from "./inbox-order.ts";

/** A waiting message, as far as a claim looks at it. */
export interface WaitingMessage {
  seq: number;
  sender: string;
  /** Its number in the inbox, in the order of arrival. */
  place: number;
  bytes: number;
  attempts: number;
  expiresAt: number | null;
}

export interface PickedDelivery {
  chosen: WaitingMessage[];
  /** Past their time to live. */
  expired: WaitingMessage[];
  /** Their leases ran out: the attempt has failed, and they are free. */
  lapsed: WaitingMessage[];
  /** When time may free a message; meaningful when none was picked. */
  nextMs: number | undefined;
}

export interface WantedDeliveries {
  nowMs: number;
  max: number;
  maxBytes: number;
  maxAttempts: number;
}

/**
 * Picks what a claim gets: the lines of an inbox merged by place and head start, with each sender's order kept within
 * a line. A returned message delays later ones of its sender in its line; a leased one does not, because its holder
 * got it first.
 */
export function pickDeliveries(
  lines: readonly { line: Line; entries: Iterable<WaitingMessage> }[],
  holds: LeasesAndDelays,
  wanted: WantedDeliveries,
): PickedDelivery {
  const choice: PickedDelivery = { chosen: [], expired: [], lapsed: [], nextMs: undefined };
  const heads = lines.map(({ line, entries }) => new Head(line, entries));
  let bytes = 0;
  try {
    for (;;) {
      const head = mostPressing(heads);
      const entry = head?.entry;
      if (!head || !entry) return choice;
      if (isFree(entry, head, holds, wanted, choice)) {
        bytes += entry.bytes;
        if (choice.chosen.length > 0 && bytes > wanted.maxBytes) return choice;
        choice.chosen.push(entry);
        if (choice.chosen.length >= wanted.max) return choice;
      }
      head.advance();
    }
  } finally {
    for (const head of heads) head.close();
  }
}

function isFree(
  entry: WaitingMessage,
  head: Head,
  holds: LeasesAndDelays,
  { nowMs, maxAttempts }: WantedDeliveries,
  choice: PickedDelivery,
): boolean {
  const hold = holds.get(entry.seq);
  if (hold && hold.untilMs > nowMs) {
    choice.nextMs = Math.min(choice.nextMs ?? Infinity, hold.untilMs);
    if (hold.token === undefined) head.heldUp.add(entry.sender);
    return false;
  }
  if (head.heldUp.has(entry.sender)) return false;
  if (entry.expiresAt !== null && entry.expiresAt <= nowMs) {
    choice.expired.push(entry);
    return false;
  }
  if (hold?.token !== undefined) {
    choice.lapsed.push(entry);
    return entry.attempts + 1 < maxAttempts;
  }
  return true;
}

class Head {
  readonly line: Line;
  /** Senders whose earlier message is not free yet. */
  readonly heldUp = new Set<string>();
  entry: WaitingMessage | undefined;
  readonly #rest: Iterator<WaitingMessage>;

  constructor(line: Line, entries: Iterable<WaitingMessage>) {
    this.line = line;
    this.#rest = entries[Symbol.iterator]();
    this.advance();
  }

  get rank(): number {
    return (this.entry?.place ?? Infinity) - headStart[this.line.priority];
  }

  advance(): void {
    const next = this.#rest.next();
    this.entry = next.done ? undefined : next.value;
  }

  close(): void {
    this.#rest.return?.();
  }
}

/** Lines are listed by priority, and a tie goes to the first. */
function mostPressing(heads: readonly Head[]): Head | undefined {
  let best: Head | undefined;
  for (const head of heads) {
    if (head.entry && (!best || head.rank < best.rank)) best = head;
  }
  return best;
}

import type { SessionItem } from "agent-switchboard/client/core";

interface Span {
  readonly from: number;
  to: number;
}

const MAX_SPANS = 500;

/** How long the model thought, of blocks that came while the page looked on: their events have no times. */
export class ThinkingTimes {
  readonly #spans = new Map<string, Span>();

  note(items: readonly SessionItem[], now: number): void {
    for (const item of items) {
      if (item.type !== "thinking_delta") continue;
      const key = keyOf(item);
      const span = this.#spans.get(key);
      if (span) span.to = now;
      else this.#begin(key, now);
    }
  }

  /** In milliseconds; undefined when the page did not see it happen. */
  of(block: Parameters<typeof keyOf>[0]): number | undefined {
    const span = this.#spans.get(keyOf(block));
    return span && span.to > span.from ? span.to - span.from : undefined;
  }

  #begin(key: string, now: number): void {
    this.#spans.set(key, { from: now, to: now });
    const [oldest] = this.#spans.keys();
    if (this.#spans.size > MAX_SPANS && oldest !== undefined) this.#spans.delete(oldest);
  }
}

const keyOf = (of: {
  readonly turn_id?: string | undefined;
  readonly turnId?: string | undefined;
  readonly parent?: string | undefined;
  readonly block: number;
}): string => JSON.stringify([of.turn_id ?? of.turnId, of.parent, of.block]);

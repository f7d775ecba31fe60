import type { SessionItem } from "../../client/core.ts";

/** Old events from the last `turns` messages of people on. */
function recentPart(
  items: readonly SessionItem[],
  turns: number,
): { skipped: readonly SessionItem[]; part: readonly SessionItem[] } {
  let cut = 0;
  let left = turns;
  for (let at = items.length - 1; at >= 0 && left > 0; at -= 1) {
    if (items[at]?.type !== "user_message") continue;
    left -= 1;
    if (left === 0) cut = at;
  }
  return { skipped: items.slice(0, cut), part: items.slice(cut) };
}

/** The events that were there before a client came. They are held back until all have come, and then cut to the last messages. */
export class PastItems {
  readonly #turns: number;
  #held: SessionItem[] | undefined;

  /** @param turns how many of the last messages are shown; 0 when the client asks for no past event. */
  constructor(turns: number, lastSeq: number) {
    this.#turns = turns;
    this.#held = turns === 0 || lastSeq === 0 ? undefined : [];
  }

  /** True once the last event of the past has come. */
  get isOver(): boolean {
    return this.#held === undefined;
  }

  /** What is to be shown now, and what is only to be known. @param lastSeq the last event of the past. */
  take(
    item: SessionItem,
    lastSeq: number,
  ): { skipped: readonly SessionItem[]; shown: readonly SessionItem[] } {
    if (!this.#held) return { skipped: [], shown: [item] };
    this.#held.push(item);
    if (item.type === "reset" || item.seq < lastSeq) return { skipped: [], shown: [] };
    const { skipped, part } = recentPart(this.#held, this.#turns);
    this.#held = undefined;
    return { skipped, shown: part };
  }
}

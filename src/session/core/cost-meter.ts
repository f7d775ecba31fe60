/** Sums of many small amounts drift in their last digits; a billionth of a dollar is no cost. */
const round = (usd: number): number => Math.round(usd * 1e9) / 1e9;

/**
 * The cost of each turn, from the CLI's running total. A CLI that goes on with a session counts on from
 * what the last one left behind when it ended well; `/clear` begins at nothing.
 */
export class CostMeter {
  #total = 0;

  /** Another CLI begins to count, from here. */
  restart(total: number): void {
    this.#total = total;
  }

  /** The total after a turn; gives what the turn has added. */
  take(total: number): number {
    const before = total < this.#total ? 0 : this.#total;
    this.#total = total;
    return round(total - before);
  }
}

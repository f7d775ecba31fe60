/** Sums of many small amounts drift in their last digits; a billionth of a dollar is negligible. */
const round = (usd: number): number => Math.round(usd * 1e9) / 1e9;

/**
 * Computes the cost of each turn from the CLI's running total. A CLI that resumes a session continues the total of
 * the last one if that ended cleanly; `/clear` resets it.
 */
export class CostMeter {
  #total = 0;

  /** Another CLI continues from this total. */
  restart(total: number): void {
    this.#total = total;
  }

  /** Takes the total after a turn and returns what the turn added. */
  take(total: number): number {
    const before = total < this.#total ? 0 : this.#total;
    this.#total = total;
    return round(total - before);
  }
}

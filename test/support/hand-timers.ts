import type { Timers } from "../../src/time/clock.ts";

interface Due {
  readonly atMs: number;
  readonly run: () => void;
}

/** Time that passes only when the test says so. */
export class HandTimers implements Timers {
  #nowMs = 0;
  #due: Due[] = [];

  after(delayMs: number, run: () => void): () => void {
    const due = { atMs: this.#nowMs + delayMs, run };
    this.#due.push(due);
    return () => {
      this.#due = this.#due.filter((each) => each !== due);
    };
  }

  /** How much time has passed. */
  get passedMs(): number {
    return this.#nowMs;
  }

  /** What waits to be run. */
  get waiting(): number {
    return this.#due.length;
  }

  /** Runs what is due on the way, in the order of its time. */
  pass(ms: number): void {
    const end = this.#nowMs + ms;
    for (;;) {
      const [next] = this.#due
        .filter(({ atMs }) => atMs <= end)
        .toSorted((a, b) => a.atMs - b.atMs);
      if (!next) break;
      this.#due = this.#due.filter((each) => each !== next);
      this.#nowMs = next.atMs;
      next.run();
    }
    this.#nowMs = end;
  }
}

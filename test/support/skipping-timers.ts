import type { Timers } from "../../src/time/clock.ts";

interface Due {
  readonly atMs: number;
  readonly run: () => void;
}

/** The time of the clock, of which a test can skip as much as it likes. */
export class SkippingTimers implements Timers {
  readonly #due = new Set<Due>();
  #skippedMs = 0;

  after(delayMs: number, run: () => void): () => void {
    const timer = setTimeout(() => {
      this.#due.delete(due);
      run();
    }, delayMs);
    const stop = (): void => {
      clearTimeout(timer);
      this.#due.delete(due);
    };
    const due: Due = {
      atMs: this.#nowMs + delayMs,
      run: () => {
        stop();
        run();
      },
    };
    this.#due.add(due);
    return stop;
  }

  /** Everything that would have happened in this time happens now, in its order. */
  skip(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#due].toSorted((a, b) => a.atMs - b.atMs);
      if (!next || next.atMs > endMs) break;
      this.#skippedMs += Math.max(next.atMs - this.#nowMs, 0);
      next.run();
    }
    this.#skippedMs += Math.max(endMs - this.#nowMs, 0);
  }

  get #nowMs(): number {
    return performance.now() + this.#skippedMs;
  }
}

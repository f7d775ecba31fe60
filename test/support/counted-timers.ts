import type { Timers } from "../../src/time/clock.ts";

/** Longer than a look round takes that is under way at the end, shorter than any patience. */
const SHORT_MS = 2_000;

/** Timers that know how many of them wait. */
export class CountedTimers implements Timers {
  readonly #timers: Timers;
  readonly #waiting = new Set<object>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  after(delayMs: number, run: () => void): () => void {
    const waiting = {};
    this.#waiting.add(waiting);
    const cancel = this.#timers.after(delayMs, () => {
      this.#waiting.delete(waiting);
      run();
    });
    return () => {
      this.#waiting.delete(waiting);
      cancel();
    };
  }

  /** Throws if something still waits soon: it would keep the process from ending. */
  async expectNone(): Promise<void> {
    const deadline = performance.now() + SHORT_MS;
    while (this.#waiting.size > 0) {
      if (performance.now() > deadline) {
        throw new Error(`${this.#waiting.size} timers wait after the end of the session`);
      }
      await new Promise((resolve) => void setTimeout(resolve, 20));
    }
  }
}

import type { Clock } from "../../../src/time/clock.ts";

/** A clock that only moves when it is told to. */
export class ManualClock implements Clock {
  #wallMs = Date.UTC(2026, 0, 1);
  #steadyMs = 1_000;
  #timers = new Set<{ atMs: number; call: () => void }>();

  wallMs(): number {
    return this.#wallMs;
  }

  steadyMs(): number {
    return this.#steadyMs;
  }

  after(delayMs: number, call: () => void): () => void {
    const timer = { atMs: this.#steadyMs + delayMs, call };
    this.#timers.add(timer);
    if (delayMs <= 0) queueMicrotask(() => this.advance(0));
    return () => void this.#timers.delete(timer);
  }

  /** Time passes. */
  advance(ms: number): void {
    this.#wallMs += ms;
    this.#steadyMs += ms;
    for (const timer of this.#timers) {
      if (timer.atMs > this.#steadyMs) continue;
      this.#timers.delete(timer);
      timer.call();
    }
  }

  /** Sets the wall clock, as an operator would. */
  jump(ms: number): void {
    this.#wallMs += ms;
  }
}

import { pause } from "../../time/abortable-waits.ts";
import { backgroundClock } from "../../time/clock.ts";

/** Waits until an agent has had nothing to do for a while. */
export class IdleWatch {
  readonly #idleMs: number;
  readonly #isFree: () => boolean;
  #sinceMs = performance.now();

  /** @param isFree whether the agent has nothing to do; whatever changes that must be followed by `touch`. */
  constructor(idleMs: number, isFree: () => boolean) {
    this.#idleMs = idleMs;
    this.#isFree = isFree;
  }

  /** Something happened: the time begins again. */
  touch(): void {
    this.#sinceMs = performance.now();
  }

  /** Resolves when the agent was free, and nothing happened, for `idleMs`; or when the signal is aborted. */
  async untilIdle(signal: AbortSignal): Promise<void> {
    this.touch();
    while (!signal.aborted) {
      const leftMs = this.#idleMs - (performance.now() - this.#sinceMs);
      if (leftMs > 0) await pause(leftMs, signal, backgroundClock);
      else if (this.#isFree()) return;
      else this.touch();
    }
  }
}

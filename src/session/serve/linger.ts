import { realTimers } from "../core/timers.ts";

/** Counts those who can send commands, and says when nobody was there for `lingerMs`. */
export class Linger {
  readonly #lingerMs: number | undefined;
  readonly #onAlone: () => void;
  #present = 0;
  #cancel: () => void = () => {};

  /** Without `lingerMs` it waits for ever. */
  constructor(lingerMs: number | undefined, onAlone: () => void) {
    this.#lingerMs = lingerMs;
    this.#onAlone = onAlone;
    this.#wait();
  }

  come(): void {
    this.#present += 1;
    this.#cancel();
  }

  go(): void {
    this.#present -= 1;
    if (this.#present === 0) this.#wait();
  }

  stop(): void {
    this.#present = Number.POSITIVE_INFINITY;
    this.#cancel();
  }

  #wait(): void {
    if (this.#lingerMs !== undefined) {
      this.#cancel = realTimers.after(this.#lingerMs, this.#onAlone);
    }
  }
}

import { systemClock } from "../../time/clock.ts";

/** Counts the clients that can send commands, and calls back when there was none for `lingerMs`. */
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
      this.#cancel = systemClock.after(this.#lingerMs, this.#onAlone);
    }
  }
}

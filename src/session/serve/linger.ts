import { systemClock } from "../../time/clock.ts";

/**
 * Counts the clients that can send commands, and calls back when there was none, and nothing to do, for `lingerMs`
 * without a break.
 */
export class Linger {
  readonly #lingerMs: number | undefined;
  readonly #onAlone: () => void;
  #present = 0;
  #atRest: boolean;
  /** Absent while the time does not run. */
  #cancel: (() => void) | undefined;

  /** Without `lingerMs` it waits for ever. */
  constructor(lingerMs: number | undefined, atRest: boolean, onAlone: () => void) {
    this.#lingerMs = lingerMs;
    this.#atRest = atRest;
    this.#onAlone = onAlone;
    this.#look();
  }

  come(): void {
    this.#present += 1;
    this.#look();
  }

  go(): void {
    this.#present -= 1;
    this.#look();
  }

  /** Whether the session has nothing to do, and waits for nothing. */
  rest(atRest: boolean): void {
    this.#atRest = atRest;
    this.#look();
  }

  stop(): void {
    this.#present = Number.POSITIVE_INFINITY;
    this.#look();
  }

  #look(): void {
    const runs = this.#present === 0 && this.#atRest && this.#lingerMs !== undefined;
    if (!runs) {
      this.#cancel?.();
      this.#cancel = undefined;
    } else {
      this.#cancel ??= systemClock.after(this.#lingerMs, this.#onAlone);
    }
  }
}

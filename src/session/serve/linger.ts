/** Counts those who can send commands, and says when nobody was there for `lingerMs`. */
export class Linger {
  readonly #lingerMs: number | undefined;
  readonly #onAlone: () => void;
  #present = 0;
  #timer: NodeJS.Timeout | undefined;

  /** Without `lingerMs` it waits for ever. */
  constructor(lingerMs: number | undefined, onAlone: () => void) {
    this.#lingerMs = lingerMs;
    this.#onAlone = onAlone;
    this.#wait();
  }

  come(): void {
    this.#present += 1;
    clearTimeout(this.#timer);
  }

  go(): void {
    this.#present -= 1;
    if (this.#present === 0) this.#wait();
  }

  stop(): void {
    this.#present = Number.POSITIVE_INFINITY;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#lingerMs !== undefined) this.#timer = setTimeout(this.#onAlone, this.#lingerMs);
  }
}

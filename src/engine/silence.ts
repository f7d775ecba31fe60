/** Waits for something to be heard, and tells once when nothing was. Keeps no process alive. */
export class Silence {
  readonly #onSilence: (silentMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #withinMs: number | undefined;

  constructor(onSilence: (silentMs: number) => void) {
    this.#onSilence = onSilence;
  }

  /** Something is due, and has not been heard yet. */
  get isAwaited(): boolean {
    return this.#withinMs !== undefined;
  }

  /** From now on. Undefined: nothing is due. */
  await(withinMs: number | undefined): void {
    // Nearly always the same time anew, and once for each delta.
    if (this.#timer && withinMs === this.#withinMs) {
      this.#timer.refresh();
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#withinMs = withinMs;
    if (withinMs === undefined) return;
    this.#timer = setTimeout(() => this.#onSilence(withinMs), withinMs);
    this.#timer.unref();
  }
}

/** Waits for a sign of life, and calls back once when none came in time. Does not keep the process alive. */
export class SilenceTimer {
  readonly #onSilence: (silentMs: number) => void;
  #timer: NodeJS.Timeout | undefined;
  #withinMs: number | undefined;

  constructor(onSilence: (silentMs: number) => void) {
    this.#onSilence = onSilence;
  }

  /** A sign of life is due and has not come yet. */
  get isAwaited(): boolean {
    return this.#withinMs !== undefined;
  }

  /** Starts to wait now. Undefined: nothing is due. */
  await(withinMs: number | undefined): void {
    // Called for each delta, nearly always with the same time.
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

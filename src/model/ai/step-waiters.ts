/**
 * The callers that wait for a step, including repeated ones. When the last of them gives up, the step is not needed
 * any more.
 */
export class StepWaiters {
  readonly #onDeserted: (reason: unknown) => void;
  /** For each waiter, the function that removes its listener. */
  readonly #present = new Map<object, () => void>();

  constructor(onDeserted: (reason: unknown) => void) {
    this.#onDeserted = onDeserted;
  }

  /** Returns a function with which the waiter leaves. */
  add(signal: AbortSignal | undefined): () => void {
    const waiter = {};
    const leave = (): void => {
      const stop = this.#present.get(waiter);
      if (!stop) return;
      stop();
      this.#present.delete(waiter);
      if (this.#present.size === 0) this.#onDeserted(signal?.reason);
    };
    signal?.addEventListener("abort", leave);
    this.#present.set(waiter, () => signal?.removeEventListener("abort", leave));
    if (signal?.aborted) leave();
    return leave;
  }

  /** Stops listening to all waiters. */
  clear(): void {
    for (const stop of this.#present.values()) stop();
    this.#present.clear();
  }
}

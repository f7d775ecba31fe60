/**
 * The callers that wait for a step, including repeated ones. When the last of them gives up, the step is not needed
 * any more.
 */
export class Readers {
  readonly #onDeserted: (reason: unknown) => void;
  /** For each reader, the function that removes its listener. */
  readonly #present = new Map<object, () => void>();

  constructor(onDeserted: (reason: unknown) => void) {
    this.#onDeserted = onDeserted;
  }

  /** Returns a function with which the reader leaves. */
  add(signal: AbortSignal | undefined): () => void {
    const reader = {};
    const leave = (): void => {
      const stop = this.#present.get(reader);
      if (!stop) return;
      stop();
      this.#present.delete(reader);
      if (this.#present.size === 0) this.#onDeserted(signal?.reason);
    };
    signal?.addEventListener("abort", leave);
    this.#present.set(reader, () => signal?.removeEventListener("abort", leave));
    if (signal?.aborted) leave();
    return leave;
  }

  /** Stops listening to all readers. */
  clear(): void {
    for (const stop of this.#present.values()) stop();
    this.#present.clear();
  }
}

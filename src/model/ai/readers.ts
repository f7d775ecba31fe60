/**
 * Those who wait for a step: whoever asked for it, and asked again. When the last of them has given up, nobody
 * wants it any more.
 */
export class Readers {
  readonly #onDeserted: (reason: unknown) => void;
  /** How to stop listening to each. */
  readonly #present = new Map<object, () => void>();

  constructor(onDeserted: (reason: unknown) => void) {
    this.#onDeserted = onDeserted;
  }

  /** Gives back how the reader leaves by itself. */
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

  /** Nobody is listened to any more. */
  clear(): void {
    for (const stop of this.#present.values()) stop();
    this.#present.clear();
  }
}

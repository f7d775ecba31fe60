const NOTHING = new Uint8Array(0);

/** How much more memory is taken than is needed now. Untouched memory costs nothing. */
const GROWTH = 16;

/**
 * The beginning of a message whose end has not arrived. Its memory follows what has arrived, not what a peer
 * announces, and grows by a factor when it is full, so that few bytes are copied twice.
 */
export class PartialMessage {
  #memory = NOTHING;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** `limit` is the largest possible size of the message; memory is never larger. */
  append(part: Uint8Array, limit: number): void {
    const length = this.#length + part.length;
    if (length > this.#memory.length) this.#grow(Math.min(GROWTH * length, limit));
    this.#memory.set(part, this.#length);
    this.#length = length;
  }

  /** Returns the whole message and gives up its memory; without a beginning it is `last` itself, uncopied. */
  completeWith(last: Uint8Array): Uint8Array {
    if (this.#length === 0) return last;
    this.append(last, this.#length + last.length);
    const whole = this.#memory.subarray(0, this.#length);
    this.discard();
    return whole;
  }

  discard(): void {
    this.#memory = NOTHING;
    this.#length = 0;
  }

  #grow(size: number): void {
    const larger = new Uint8Array(size);
    larger.set(this.#memory.subarray(0, this.#length));
    this.#memory = larger;
  }
}

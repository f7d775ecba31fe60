/** How many taken items stay in the array, so that taking one is cheap. */
const MAX_TAKEN = 1_000;

/** Items on their way to one reader. A reader may leave its loop and continue with a new one: nothing is lost. */
export class ItemQueue<Item, Shown extends Item = Item> implements AsyncIterable<Shown> {
  #items: Item[] = [];
  /** Items before this index have been taken. */
  #taken = 0;
  #ended: { readonly error: Error | undefined } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;
  readonly #onTake: (item: Item) => item is Shown;

  /** @param onTake is called in the order of the items; returns whether the reader gets this one. */
  constructor(onTake: (item: Item) => item is Shown) {
    this.#onTake = onTake;
  }

  get length(): number {
    return this.#items.length - this.#taken;
  }

  push(item: Item): void {
    if (this.#ended) return;
    this.#items.push(item);
    this.#wakeReader?.();
  }

  /** The reader gets what is queued, and then the end; an error is thrown to it once. */
  end(error?: Error): void {
    this.#ended ??= { error };
    this.#wakeReader?.();
    this.#wakeWriter?.();
  }

  /** Resolves when the reader has taken something, or `wake` is called. */
  taken(): Promise<void> {
    return new Promise((resolve) => (this.#wakeWriter = resolve));
  }

  wake(): void {
    this.#wakeWriter?.();
  }

  [Symbol.asyncIterator](): AsyncIterator<Shown, undefined> {
    // Without `return`: leaving a loop must not end the queue.
    return { next: () => this.#next() };
  }

  async #next(): Promise<IteratorResult<Shown, undefined>> {
    for (;;) {
      while (this.#taken < this.#items.length) {
        const value = this.#take();
        if (this.#onTake(value)) return { done: false, value };
      }
      if (this.#ended) return this.#finish();
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
  }

  #take(): Item {
    const item = this.#items[this.#taken] as Item;
    this.#taken += 1;
    // Not `shift`: it moves all following items each time.
    if (this.#taken === this.#items.length || this.#taken > MAX_TAKEN) {
      this.#items = this.#items.slice(this.#taken);
      this.#taken = 0;
    }
    this.#wakeWriter?.();
    return item;
  }

  #finish(): { done: true; value: undefined } {
    const error = this.#ended?.error;
    this.#ended = { error: undefined };
    if (error) throw error;
    return { done: true, value: undefined };
  }
}

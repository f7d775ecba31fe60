/**
 * Items on their way to one reader. A reader may stop in the middle and go on with a new loop: nothing
 * is lost in between.
 */
export class ItemQueue<Item> implements AsyncIterable<Item> {
  #items: Item[] = [];
  /** Items before this place have been taken. */
  #taken = 0;
  #ended: { readonly error: Error | undefined } | undefined;
  #wakeReader: (() => void) | undefined;
  #wakeWriter: (() => void) | undefined;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  push(item: Item): void {
    if (this.#ended) return;
    this.#items.push(item);
    this.#wakeReader?.();
  }

  /** The reader gets what is queued, and then the end: an error is thrown to it once. */
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

  [Symbol.asyncIterator](): AsyncIterator<Item, undefined> {
    // Without `return`: leaving a loop must not end the queue.
    return { next: () => this.#next() };
  }

  async #next(): Promise<IteratorResult<Item, undefined>> {
    for (;;) {
      if (this.#taken < this.#items.length) return { done: false, value: this.#take() };
      if (this.#ended) return this.#finish();
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
  }

  #take(): Item {
    const item = this.#items[this.#taken] as Item;
    this.#taken += 1;
    // Not `shift`: it moves all that follow, for every item.
    if (this.#taken === this.#items.length) {
      this.#items = [];
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

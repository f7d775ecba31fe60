/** A queue that one consumer reads as an async iterable; it ends when it is closed. */
export class InputQueue<Item extends object> implements AsyncIterable<Item> {
  readonly #items: Item[] = [];
  #closed = false;
  #wake: (() => void) | undefined;

  get closed(): boolean {
    return this.#closed;
  }

  /** Returns false when the queue is closed: the item was not taken. */
  push(item: Item): boolean {
    if (this.#closed) return false;
    this.#items.push(item);
    this.#wake?.();
    return true;
  }

  /** Unread items are dropped. */
  close(): void {
    this.#closed = true;
    this.#items.length = 0;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (;;) {
      const item = this.#items.shift();
      if (item !== undefined) yield item;
      else if (this.#closed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}

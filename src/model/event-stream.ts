/** Events that one consumer reads in order, until the end or a failure. Events before the end are read first. */
export class EventStream<Event> implements AsyncIterable<Event> {
  readonly #events: Event[] = [];
  #end: { error?: unknown } | undefined;
  #wake: (() => void) | undefined;

  push(event: Event): void {
    if (this.#end) return;
    this.#events.push(event);
    this.#wake?.();
  }

  /** The first end counts. */
  end(error?: unknown): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for (;;) {
      if (this.#events.length > 0) yield this.#events.shift() as Event;
      else if (!this.#end) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if ("error" in this.#end) throw this.#end.error;
      else return;
    }
  }
}

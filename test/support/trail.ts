/** What was told so far, in order, and a way to wait for more of it. */
export class Trail<Event extends { type: string }> {
  readonly told: Event[] = [];
  readonly #waiting = new Set<() => void>();

  add(event: Event): void {
    this.told.push(event);
    for (const wake of this.#waiting) wake();
  }

  /** The first event from position `since` on that fits, now or later. */
  async until<T extends Event["type"]>(
    type: T,
    { since = 0, fits = () => true, withinMs = 45_000 }: UntilOptions<Event, T> = {},
  ): Promise<Extract<Event, { type: T }>> {
    // Whatever a test does to the clock.
    const deadline = performance.now() + withinMs;
    const matches = (event: Event): event is Extract<Event, { type: T }> =>
      event.type === type && fits(event as Extract<Event, { type: T }>);
    for (;;) {
      const found = this.told.slice(since).find(matches);
      if (found) return found;
      const leftMs = deadline - performance.now();
      if (leftMs <= 0) throw new Error(`no ${type} within ${withinMs} ms; told: ${this.summary()}`);
      await this.#next(leftMs);
    }
  }

  summary(): string {
    return this.told.map(({ type }) => type).join(" ");
  }

  #next(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.#waiting.add(done);
    });
  }
}

interface UntilOptions<Event extends { type: string }, T extends Event["type"]> {
  since?: number;
  fits?: (event: Extract<Event, { type: T }>) => boolean;
  withinMs?: number;
}

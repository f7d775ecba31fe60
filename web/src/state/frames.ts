const MAX_HELD = 256;
const HIDDEN_MS = 250;

/** What the page draws with; tests have their own. */
export interface FrameClock {
  /** Calls back once: before the next frame, or soon when the page is hidden and draws none. */
  readonly next: (run: () => void) => () => void;
  readonly isHidden: () => boolean;
}

const browserFrames: FrameClock = {
  next(run) {
    if (document.hidden) {
      const timer = setTimeout(run, HIDDEN_MS);
      return () => clearTimeout(timer);
    }
    const frame = requestAnimationFrame(run);
    return () => cancelAnimationFrame(frame);
  },
  isHidden: () => document.hidden,
};

/**
 * Collects what arrives, and hands all of it on once a frame: so a stream of any speed costs at most one drawing a frame.
 * A hidden page draws no frames; it gets what has arrived every 250 ms or 256 items.
 */
export class Frames<Item> {
  readonly #take: (items: readonly Item[]) => void;
  readonly #clock: FrameClock;
  #held: Item[] = [];
  #cancel: (() => void) | undefined;

  constructor(take: (items: readonly Item[]) => void, clock: FrameClock = browserFrames) {
    this.#take = take;
    this.#clock = clock;
  }

  add(item: Item): void {
    this.#held.push(item);
    if (this.#held.length >= MAX_HELD && this.#clock.isHidden()) this.flush();
    else this.#cancel ??= this.#clock.next(() => this.flush());
  }

  /** Hands on at once what has arrived. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#held.length === 0) return;
    const items = this.#held;
    this.#held = [];
    this.#take(items);
  }

  /** A page that becomes hidden has asked for a frame that will not come. */
  visibilityChanged(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = this.#clock.next(() => this.flush());
  }
}

import type { Block } from "./blocks.ts";
import { StreamedMarkdown } from "./streamed-markdown.ts";

const FLUSH_MS = 8;
const MAX_REST_MS = 100;

/** What it waits with; tests have their own. */
export interface PaceClock {
  readonly now: () => number;
  readonly after: (ms: number, run: () => void) => () => void;
}

const browserPace: PaceClock = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/**
 * A text on the page. It may be handed in as often as it changes: if taking and drawing it took more than 8 ms, the
 * next change waits as long as that took, so that half of the time stays free for what the person does. One slow flush
 * between quick ones changes nothing: the machine had something else to do.
 */
export class PacedMarkdown {
  readonly #redraw: () => void;
  readonly #clock: PaceClock;
  #model = new StreamedMarkdown();
  #taken = "";
  #isFinished = false;
  #hasMore = false;
  #began: number | undefined;
  #restsUntil = 0;
  #tookBefore = 0;
  #cancel: (() => void) | undefined;

  constructor(redraw: () => void, clock: PaceClock = browserPace) {
    this.#redraw = redraw;
    this.#clock = clock;
  }

  /** The blocks of the text as far as it has been taken. Calls for another drawing when there is more. */
  take(text: string, isFinished: boolean): readonly Block[] {
    const isNew = !text.startsWith(this.#taken) || (this.#isFinished && text !== this.#taken);
    if (isNew || (this.#isFinished && !isFinished)) this.#forget();
    const isDone = text.length === this.#taken.length && isFinished === this.#isFinished;
    if (isDone && !this.#hasMore) return this.#model.blocks;
    const now = this.#clock.now();
    if (now < this.#restsUntil) {
      this.#later(this.#restsUntil - now);
      return this.#model.blocks;
    }
    this.#began = now;
    this.#model.append(text.slice(this.#taken.length));
    this.#taken = text;
    if (isFinished && !this.#isFinished) this.#model.finish();
    this.#isFinished = isFinished;
    this.#hasMore = this.#model.update(FLUSH_MS);
    if (this.#hasMore) this.#later(0);
    return this.#model.blocks;
  }

  /** What was taken is in the document. */
  drawn(): void {
    if (this.#began === undefined) return;
    const now = this.#clock.now();
    const took = now - this.#began;
    this.#began = undefined;
    const usual = Math.min(took, this.#tookBefore);
    this.#tookBefore = took;
    const rest = Math.min(MAX_REST_MS, usual);
    this.#restsUntil = usual > FLUSH_MS ? now + rest : 0;
    if (this.#hasMore) this.#later(this.#restsUntil - now);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #later(ms: number): void {
    this.#cancel?.();
    this.#cancel = this.#clock.after(Math.max(0, ms), () => {
      this.#cancel = undefined;
      this.#redraw();
    });
  }

  #forget(): void {
    this.#model = new StreamedMarkdown();
    this.#taken = "";
    this.#isFinished = false;
    this.#hasMore = false;
  }
}

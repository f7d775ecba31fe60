import type { ReadonlySignal } from "@preact/signals";
import { signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";

/** Nearer to the end than this, the view follows what comes. */
const NEAR_PX = 48;

export interface Follow {
  /** The person reads further up. */
  readonly isAway: ReadonlySignal<boolean>;
  /** So much came since. */
  readonly news: ReadonlySignal<number>;
  readonly toEnd: () => void;
  /** The view is put somewhere else meanwhile, and stays there. */
  readonly during: <Value>(move: () => Promise<Value>) => Promise<Value>;
}

interface Followed {
  readonly scroller: RefObject<HTMLElement | null>;
  readonly content: RefObject<HTMLElement | null>;
}

/** Follows the end of a growing list, and only while the person is at its end: nobody is pulled away from what they read. */
export function useFollow({ scroller, content }: Followed, rowCount: number): Follow {
  const follower = useMemo(() => new Follower(), []);
  useLayoutEffect(() => {
    if (!scroller.current || !content.current) return undefined;
    return follower.attach(scroller.current, content.current);
  }, []);
  useEffect(() => follower.count(rowCount), [rowCount]);
  return follower;
}

class Follower implements Follow {
  readonly isAway = signal(false);
  readonly news = signal(0);
  #scroller: HTMLElement | undefined;
  #lastTop = 0;
  #isMoving = false;
  #seenRows = 0;
  #rows = 0;

  readonly toEnd = (): void => {
    this.isAway.value = false;
    this.#seen();
    this.#stick();
  };

  count(rows: number): void {
    this.#rows = rows;
    if (this.isAway.value) this.news.value = Math.max(0, rows - this.#seenRows);
    else this.#seen();
  }

  attach(scroller: HTMLElement, content: HTMLElement): () => void {
    this.#scroller = scroller;
    const onScroll = (): void => {
      const { scrollTop, scrollHeight, clientHeight } = scroller;
      const isNear = scrollHeight - scrollTop - clientHeight <= NEAR_PX;
      // Growth alone moves nothing up: only a person, or a jump, leaves the end.
      if (isNear && !this.#isMoving) this.#arrive();
      else if (scrollTop < this.#lastTop) this.#leave();
      this.#lastTop = scrollTop;
    };
    scroller.addEventListener("scroll", onScroll, { passive: true });
    const observer = new ResizeObserver(() => {
      if (!this.isAway.value) this.#stick();
    });
    observer.observe(content);
    observer.observe(scroller);
    this.#stick();
    return () => {
      observer.disconnect();
      scroller.removeEventListener("scroll", onScroll);
    };
  }

  #arrive(): void {
    this.isAway.value = false;
    this.#seen();
  }

  readonly during = async <Value>(move: () => Promise<Value>): Promise<Value> => {
    this.#isMoving = true;
    this.#leave();
    try {
      return await move();
    } finally {
      this.#isMoving = false;
    }
  };

  #leave(): void {
    if (this.isAway.value) return;
    this.isAway.value = true;
    this.#seen();
  }

  #seen(): void {
    this.#seenRows = this.#rows;
    this.news.value = 0;
  }

  #stick(): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    scroller.scrollTop = scroller.scrollHeight;
    this.#lastTop = scroller.scrollTop;
  }
}

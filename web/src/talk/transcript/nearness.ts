import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** So far from the view, what is shown is made ready. */
const MARGIN = "1200px 0px";

/** Whether an element is near the view of its scroller, and how high it was when it was last drawn. */
export function useNearness(
  scroller: RefObject<HTMLElement | null>,
  isFixed: boolean,
  guess: number,
): {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly isNear: boolean;
  readonly height: () => number;
} {
  const ref = useRef<HTMLDivElement>(null);
  const measured = useRef<number | undefined>(undefined);
  const [isNear, setNear] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element || isFixed) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        const last = entries.at(-1);
        if (!last) return;
        // It is measured while it still has its content.
        if (!last.isIntersecting && element.childElementCount > 0) {
          measured.current = last.boundingClientRect.height;
        }
        setNear(last.isIntersecting);
      },
      { root: scroller.current, rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [isFixed]);
  return { ref, isNear, height: () => measured.current ?? guess };
}

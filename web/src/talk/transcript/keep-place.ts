import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Nearer to the upper end than this, browsers do not hold the place by themselves. */
const TOP_PX = 4;

/** What the person reads stays where it is when older turns come above it. */
export function useKeptPlace(scroller: RefObject<HTMLElement | null>, parts: unknown): void {
  const height = useRef(0);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const grown = element.scrollHeight - height.current;
    if (element.scrollTop < TOP_PX && height.current > 0 && grown > 0) element.scrollTop += grown;
    height.current = element.scrollHeight;
  }, [parts]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const note = (): void => void (height.current = element.scrollHeight);
    element.addEventListener("scroll", note, { passive: true });
    return () => element.removeEventListener("scroll", note);
  }, []);
}

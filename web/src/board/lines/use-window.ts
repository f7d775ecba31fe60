import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";

const MARGIN = 600;
const STEP = 300;

/**
 * The part of a wide picture that is to be drawn: what is visible, and some more on both sides. It changes in steps, so
 * that scrolling draws little. While it follows the end, the end stays in sight.
 */
export function useWindow(
  box: RefObject<HTMLElement | null>,
  width: number,
  follows: boolean,
  onLeave: () => void,
): readonly [number, number] {
  const [left, setLeft] = useState(Number.NaN);
  const [seen, setSeen] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && follows) element.scrollLeft = element.scrollWidth;
  }, [box, width, follows, seen]);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const look = (): void => {
      setLeft(Math.floor(element.scrollLeft / STEP) * STEP);
      setSeen(element.clientWidth);
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", look);
      observer.disconnect();
    };
  }, [box]);
  useEffect(() => {
    const element = box.current;
    if (!element || !follows) return undefined;
    // Only a person's own wheel, finger or scroll bar leaves the end; the picture's growth does not.
    const leave = (event: Event): void => {
      const isBackward = event instanceof WheelEvent ? event.deltaX < 0 : event.target === element;
      if (isBackward) onLeave();
    };
    element.addEventListener("wheel", leave, { passive: true });
    element.addEventListener("touchmove", onLeave, { passive: true });
    element.addEventListener("pointerdown", leave);
    return () => {
      element.removeEventListener("wheel", leave);
      element.removeEventListener("touchmove", onLeave);
      element.removeEventListener("pointerdown", leave);
    };
  }, [box, follows, onLeave]);
  const start = Number.isNaN(left) || follows ? Math.max(0, width - (seen || 1200)) : left;
  return [start - MARGIN, start + (seen || 1200) + STEP + MARGIN];
}

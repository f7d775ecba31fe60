import type { RefObject } from "preact";
import { useEffect, useState } from "preact/hooks";

const LINE_PX = 20;

/** How many lines of a scrolled text have not been in view yet. */
export function useUnseenLines(ref: RefObject<HTMLElement | null>): number {
  const [unseen, setUnseen] = useState(0);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    let seen = 0;
    const look = (): void => {
      seen = Math.max(seen, element.scrollTop + element.clientHeight);
      // A part of a line is no line.
      setUnseen(Math.max(0, Math.floor((element.scrollHeight - seen) / LINE_PX)));
    };
    look();
    element.addEventListener("scroll", look, { passive: true });
    const observer = typeof ResizeObserver === "undefined" ? undefined : new ResizeObserver(look);
    observer?.observe(element);
    for (const child of element.children) observer?.observe(child);
    return () => {
      element.removeEventListener("scroll", look);
      observer?.disconnect();
    };
  }, []);
  return unseen;
}

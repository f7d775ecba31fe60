import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Scrollable<Of extends HTMLElement> {
  readonly ref: RefObject<Of | null>;
  readonly tabIndex?: 0;
  readonly role?: "group";
  readonly "aria-label"?: string;
}

/** For what may be wider or higher than its place: when it is, people without a mouse reach it by Tab, and it has a name. */
export function useScrollable<Of extends HTMLElement>(name: string): Scrollable<Of> {
  const ref = useRef<Of>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const box = ref.current;
    if (box === null) return undefined;
    // It is told after the layout, so that looking costs no layout of its own.
    const observer = new ResizeObserver(() => {
      setScrolls(box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight);
    });
    observer.observe(box);
    for (const child of box.children) observer.observe(child);
    return () => observer.disconnect();
  }, []);
  return scrolls ? { ref, tabIndex: 0, role: "group", "aria-label": name } : { ref };
}

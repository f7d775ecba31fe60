import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/**
 * A part that the person has opened gets the focus: its first element of this kind. At once, so that the next letter is
 * typed there.
 */
export function useFirstFocus<Element extends HTMLElement>(
  selector: string,
): RefObject<Element | null> {
  const ref = useRef<Element>(null);
  useLayoutEffect(() => ref.current?.querySelector<HTMLElement>(selector)?.focus(), []);
  return ref;
}

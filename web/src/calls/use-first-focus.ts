import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** A part that the person has opened gets the focus: its first element of this kind. */
export function useFirstFocus<Element extends HTMLElement>(
  selector: string,
): RefObject<Element | null> {
  const ref = useRef<Element>(null);
  useEffect(() => ref.current?.querySelector<HTMLElement>(selector)?.focus(), []);
  return ref;
}

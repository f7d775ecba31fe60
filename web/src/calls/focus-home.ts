import type { RefObject } from "preact";

/**
 * For a ticket's effect: when it goes while the focus is in it, the focus goes to what the list around it names as its home
 * (`data-calls-home`), and not to the next ticket: a letter that was meant for this one must not decide that one.
 */
export function giveFocusBack(ref: RefObject<HTMLElement | null>): () => void {
  const ticket = ref.current;
  const list = ticket?.closest("[data-calls]");
  return () => {
    if (!ticket?.contains(document.activeElement)) return;
    const home = list?.querySelector<HTMLElement>("[data-calls-home]");
    (home ?? document.getElementById("content"))?.focus({ preventScroll: true });
  };
}

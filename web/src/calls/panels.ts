import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { RefObject } from "preact";

/** The part of a ticket that is open beneath its buttons. */
export type Panel = "deny" | "hold" | "change";

export interface Panels {
  readonly open: Panel | undefined;
  readonly show: (panel: Panel) => void;
  /** Closes it; the focus goes back to the ticket. */
  readonly close: () => void;
  readonly ref: RefObject<HTMLDivElement | null>;
}

export function usePanels(): Panels {
  const [open, setOpen] = useState<Panel | undefined>(undefined);
  const ref = useRef<HTMLDivElement | null>(null);
  const close = (): void => {
    ref.current?.closest("article")?.focus({ preventScroll: true });
    setOpen(undefined);
  };
  useLayoutEffect(() => {
    if (open === undefined) return undefined;
    // Wherever in the ticket the focus is.
    const element = ref.current?.closest("article");
    const press = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || event.isComposing) return;
      event.stopPropagation();
      close();
    };
    element?.addEventListener("keydown", press);
    return () => element?.removeEventListener("keydown", press);
  }, [open]);
  return { open, show: setOpen, close, ref };
}

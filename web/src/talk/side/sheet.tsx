import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { isComposing } from "../../ui/key-press.ts";
import styles from "./talk-strip.module.css";

/** Something that opens below its own title, and closes by Escape or when the person goes elsewhere. */
export function Sheet({
  title,
  side = "left",
  isKey = false,
  children,
}: {
  readonly title: ComponentChildren;
  readonly side?: "left" | "right";
  /** The title looks like a button. */
  readonly isKey?: boolean;
  /** @param close closes the sheet, and gives its title the focus. */
  readonly children: (close: () => void) => ComponentChildren;
}) {
  const details = useRef<HTMLDetailsElement>(null);
  const close = (): void => {
    if (!details.current) return;
    details.current.open = false;
    details.current.querySelector("summary")?.focus();
  };
  return (
    <details
      ref={details}
      class={styles.hand}
      data-side={side}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !isComposing(event)) close();
      }}
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) {
          currentTarget.open = false;
        }
      }}
    >
      <summary class={isKey ? styles.exportHead : undefined}>{title}</summary>
      <div class={styles.sheet}>{children(close)}</div>
    </details>
  );
}

import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { t } from "../words/words.ts";
import styles from "./dialog.module.css";
import { Key } from "./key.tsx";

/**
 * A sheet that a person has asked for. The browser keeps the focus in it, closes it at Escape, and gives the focus back.
 * Requests of agents never come as one.
 */
export function Dialog({
  title,
  onClose,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={ref}
      class={styles.dialog}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        // Its own ground is the backdrop: the content lies in an element of its own.
        if (event.target === ref.current) onClose();
      }}
    >
      <div class={styles.content}>
        <div class={styles.head}>
          <h2 id={id}>{title}</h2>
          <Key onClick={onClose}>{t("ui.close")}</Key>
        </div>
        {children}
      </div>
    </dialog>
  );
}

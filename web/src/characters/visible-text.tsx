import type { VNode } from "preact";
import { visibleParts } from "./visible-characters.ts";
import styles from "./visible-text.module.css";

/** A text in which nothing is unseen: hidden characters stand there as their code points. */
export function VisibleText({ text }: { readonly text: string }): VNode {
  const parts = visibleParts(text);
  if (parts.every(({ is }) => is === "text")) return <>{text}</>;
  return (
    <>
      {parts.map((part, index) =>
        part.is === "text" ? (
          part.text
        ) : (
          <bdi key={index} class={styles["hidden"]}>
            {part.name}
          </bdi>
        ),
      )}
    </>
  );
}

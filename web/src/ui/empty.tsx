import type { ComponentChildren } from "preact";
import styles from "./empty.module.css";

/** A view without content says so, and what the next step is. */
export function Empty({
  title,
  children,
  command,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
  /** What to type in a terminal. */
  readonly command?: string;
}) {
  return (
    <div class={styles.empty}>
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {command !== undefined && <code>{command}</code>}
    </div>
  );
}

import type { ComponentChildren } from "preact";
import styles from "./strip.module.css";

/** The designation strip: the typed label above a group. */
export function Strip({
  children,
  as: Tag = "div",
}: {
  readonly children: ComponentChildren;
  readonly as?: "div" | "h1" | "h2" | "h3" | "span";
}) {
  return <Tag class={styles.strip}>{children}</Tag>;
}

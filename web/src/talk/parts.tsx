import type { FileChange } from "agent-switchboard/wire";
import styles from "./parts.module.css";

// Stand-ins for parts of the page that are made elsewhere.

export function Markdown({ text }: { readonly text: string; readonly isOpen: boolean }) {
  return <p class={styles.text}>{text}</p>;
}

export function TerminalText({ text }: { readonly text: string }) {
  return <pre class={styles.output}>{text}</pre>;
}

export function DiffView({ change }: { readonly change: FileChange }) {
  return (
    <pre class={styles.output}>{(change.hunks ?? []).flatMap(({ lines }) => lines).join("\n")}</pre>
  );
}

import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { t } from "../words/words.ts";
import styles from "./code-block.module.css";
import { copyText } from "./copy-text.ts";

const SHOWN_MS = 2_000;
type State = "ready" | "copied" | "failed";
const words = { ready: "code.copy", copied: "code.copied", failed: "code.notCopied" } as const;

/** Copies what `text` returns when it is pressed. */
export function CopyButton({ text }: { readonly text: () => string }): VNode {
  const [state, setState] = useState<State>("ready");
  useEffect(() => {
    if (state === "ready") return undefined;
    const timer = setTimeout(() => setState("ready"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = (): void =>
    void copyText(text()).then((isCopied) => setState(isCopied ? "copied" : "failed"));
  return (
    <button type="button" class={styles["copy"]} onClick={copy}>
      <span aria-live="polite">{t(words[state])}</span>
    </button>
  );
}

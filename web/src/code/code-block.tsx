import type { VNode } from "preact";
import { t } from "../words/words.ts";
import styles from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";
import { useHighlight } from "./highlight.ts";
import { HighlightedText } from "./highlighted-text.tsx";
import { Same } from "./same.tsx";
import { useScrollable } from "./scrollable.ts";
import { VisibleText } from "../characters/visible-text.tsx";

export interface CodeBlockProps {
  /** Pieces of the code, one after the other. Pieces that stay the same are not drawn again. */
  readonly texts: readonly string[];
  readonly language?: string | undefined;
  /** More may come. */
  readonly open?: boolean;
}

const MAX_LANGUAGE = 40;

/** Code with its language and a button that copies it. Its colours come when nothing else is to do. */
export function CodeBlock({ texts, language, open = false }: CodeBlockProps): VNode {
  const name = (language ?? "").slice(0, MAX_LANGUAGE);
  const label = name === "" ? t("code.block") : t("code.blockIn", { language: name });
  const scroll = useScrollable<HTMLPreElement>(label);
  const tree = useHighlight(texts, language, open);
  return (
    <div class={styles["block"]}>
      <div class={styles["head"]}>
        <span class={styles["language"]}>
          <VisibleText text={name} />
        </span>
        <CopyButton text={() => texts.join("")} />
      </div>
      <pre class={styles["code"]} {...scroll}>
        <code>
          {tree === undefined ? (
            texts.map((text, index) => <Same key={index} value={text} draw={piece} />)
          ) : (
            <HighlightedText tree={tree} />
          )}
        </code>
      </pre>
    </div>
  );
}

const piece = (text: string): VNode => (
  <span>
    <VisibleText text={text} />
  </span>
);

import type { ReadonlySignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useReducer, useState } from "preact/hooks";
import { Same } from "../code/same.tsx";
import { blockView } from "./block-view.tsx";
import styles from "./markdown.module.css";
import { PacedMarkdown } from "./paced-markdown.ts";

export interface MarkdownProps {
  /** All of the text so far. A signal may change as often as it likes: what is drawn keeps its own pace. */
  readonly text: string | ReadonlySignal<string>;
  /** More comes. What is unfinished at the end is then drawn as if it were finished. */
  readonly streaming?: boolean;
}

/**
 * A text of a model or a person as Markdown. Nothing in it is fetched or run: raw HTML is text, pictures are named, and
 * links open http, https and mailto addresses only. What has been drawn of a text that grows is not touched again.
 */
export function Markdown({ text, streaming = false }: MarkdownProps): VNode {
  const [, redraw] = useReducer<number, undefined>((count) => count + 1, 0);
  const [paced] = useState(() => new PacedMarkdown(() => redraw(undefined)));
  const blocks = paced.take(typeof text === "string" ? text : text.value, !streaming);
  useLayoutEffect(() => paced.drawn());
  useEffect(() => () => paced.stop(), [paced]);
  return (
    <div class={styles["markdown"]}>
      {blocks.map((block) => (
        <Same key={block.key} value={block} draw={blockView} />
      ))}
    </div>
  );
}

import type { ElementContent, Root, RootContent } from "hast";
import type { ComponentChild, VNode } from "preact";
import styles from "./highlight.module.css";
import { VisibleText } from "../characters/visible-text.tsx";

/** What the highlighter calls a mark, and the class of ours that colours it. Others are not coloured. */
const classes: Readonly<Record<string, string | undefined>> = {
  "hljs-comment": styles["comment"],
  "hljs-quote": styles["comment"],
  "hljs-meta": styles["comment"],
  "hljs-keyword": styles["keyword"],
  "hljs-selector-tag": styles["keyword"],
  "hljs-built_in": styles["keyword"],
  "hljs-type": styles["type"],
  "hljs-class": styles["type"],
  "hljs-name": styles["type"],
  "hljs-tag": styles["type"],
  "hljs-string": styles["string"],
  "hljs-regexp": styles["string"],
  "hljs-link": styles["string"],
  "hljs-number": styles["number"],
  "hljs-literal": styles["number"],
  "hljs-symbol": styles["number"],
  "hljs-title": styles["title"],
  "hljs-section": styles["title"],
  "hljs-attr": styles["attribute"],
  "hljs-attribute": styles["attribute"],
  "hljs-property": styles["attribute"],
  "hljs-variable": styles["attribute"],
  "hljs-addition": styles["addition"],
  "hljs-deletion": styles["deletion"],
  "hljs-emphasis": styles["emphasis"],
  "hljs-strong": styles["strong"],
};

export const HighlightedText = ({ tree }: { readonly tree: Root }): VNode => (
  <>{tree.children.map(marked)}</>
);

function marked(node: RootContent | ElementContent, index: number): ComponentChild {
  if (node.type === "text") return <VisibleText key={index} text={node.value} />;
  if (node.type !== "element") return null;
  const names = node.properties["className"];
  const name = Array.isArray(names) ? String(names[0]) : "";
  return (
    <span key={index} class={classes[name]}>
      {node.children.map(marked)}
    </span>
  );
}

import type { Image, Link, Nodes, PhrasingContent } from "mdast";
import type { ComponentChild, VNode } from "preact";
import { VisibleText } from "../characters/visible-text.tsx";
import { t } from "../words/words.ts";
import { hostOf, targetOf } from "./links.ts";
import styles from "./markdown.module.css";

/** The marks inside a line of text. Hidden characters are shown. */
export const inlines = (nodes: readonly PhrasingContent[]): ComponentChild[] =>
  nodes.map((node, index) => <Inline key={index} node={node} />);

function Inline({ node }: { readonly node: PhrasingContent }): ComponentChild {
  switch (node.type) {
    case "text":
    case "html":
      return <VisibleText text={node.value} />;
    case "strong":
      return <strong>{inlines(node.children)}</strong>;
    case "emphasis":
      return <em>{inlines(node.children)}</em>;
    case "delete":
      return <del>{inlines(node.children)}</del>;
    case "inlineCode":
      return (
        <code class={styles["inlineCode"]}>
          <VisibleText text={node.value} />
        </code>
      );
    case "break":
      return <br />;
    case "link":
      return <LinkView node={node} />;
    case "image":
      return <PictureName node={node} />;
    case "linkReference":
      return inlines(node.children);
    case "imageReference":
      return node.alt ?? "";
    default:
      return null;
  }
}

function LinkView({ node }: { readonly node: Link }): VNode {
  const target = targetOf(node.url, textOf(node));
  const words = inlines(node.children);
  if (target.is === "refused") {
    return (
      <>
        {words}
        <span class={styles["target"]}>
          {" ("}
          <VisibleText text={shortened(target.address)} />)
        </span>
      </>
    );
  }
  return (
    <>
      <a href={target.href} title={target.href} target="_blank" rel="noopener noreferrer">
        {words}
      </a>
      {target.shown !== undefined && <span class={styles["target"]}> ({target.shown})</span>}
    </>
  );
}

/** A picture of somebody else's is named, and never fetched. */
function PictureName({ node }: { readonly node: Image }): VNode {
  const alt = node.alt ?? "";
  return (
    <span class={styles["picture"]} title={shortened(node.url)}>
      {t("markdown.picture")} <VisibleText text={alt} /> — <VisibleText text={hostOf(node.url)} />
    </span>
  );
}

const shortened = (address: string): string =>
  address.length > 200 ? `${address.slice(0, 200)}…` : address;

function textOf(node: Nodes): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}

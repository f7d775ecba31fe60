import type { BlockContent, DefinitionContent, ListItem, Paragraph, RootContent } from "mdast";
import type { ComponentChild, VNode } from "preact";
import { CodeBlock } from "../code/code-block.tsx";
import { Same } from "../code/same.tsx";
import { VisibleText } from "../characters/visible-text.tsx";
import { t } from "../words/words.ts";
import { type Block, type BlockNode, type ItemsBlock, blockOf } from "./blocks.ts";
import { inlines } from "./inlines.tsx";
import styles from "./markdown.module.css";
import { groupsView } from "./groups-view.tsx";
import { TableView } from "./table-view.tsx";

/** Draws one block. Parts of it that have been drawn are not touched. */
export function blockView({ node, open, rest }: Block): VNode {
  if (node.type === "paragraph") return paragraphView(node, rest);
  return (
    <>
      {nodeView(node, open)}
      {rest !== undefined && <p class={styles["plain"]}>{texts(rest)}</p>}
    </>
  );
}

function nodeView(node: BlockNode, open: boolean): ComponentChild {
  switch (node.type) {
    case "fence":
      return <CodeBlock texts={node.texts} language={node.language} open={open} />;
    case "items":
      return <ItemsView list={node} />;
    case "rows":
      return <TableView table={node} />;
    case "plain":
      return <p class={styles["plain"]}>{texts(node.texts)}</p>;
    default:
      return contentView(node);
  }
}

function contentView(node: RootContent): ComponentChild {
  switch (node.type) {
    case "paragraph":
      return paragraphView(node);
    case "heading": {
      const Heading = headings[node.depth];
      return <Heading class={styles["heading"]}>{inlines(node.children)}</Heading>;
    }
    case "blockquote":
      return <blockquote class={styles["quote"]}>{blocksView(node.children)}</blockquote>;
    case "thematicBreak":
      return <hr class={styles["break"]} />;
    case "definition":
      return (
        <p class={styles["target"]}>
          [{node.label ?? node.identifier}]: <VisibleText text={node.url} />
        </p>
      );
    case "list":
    case "table":
    case "code":
      return nodeView(blockOf(node), false);
    case "html":
      return <p>{node.value}</p>;
    default:
      return null;
  }
}

/** The page has headings of its own above these. */
const headings = { 1: "h3", 2: "h4", 3: "h5", 4: "h6", 5: "h6", 6: "h6" } as const;

const paragraphView = (node: Paragraph, rest?: readonly string[]): VNode => (
  <p>
    {inlines(node.children)}
    {rest !== undefined && texts(rest)}
  </p>
);

const text = (value: string): VNode => <span>{value}</span>;
const texts = (all: readonly string[]): VNode[] =>
  all.map((value, index) => <Same key={index} value={value} draw={text} />);

const blocksView = (nodes: readonly (BlockContent | DefinitionContent)[]): ComponentChild[] =>
  nodes.map(contentView);

function ItemsView({ list }: { readonly list: ItemsBlock }): VNode {
  const items = groupsView(list.items, list.open, itemView);
  return list.ordered ? (
    <ol class={styles["list"]} start={list.start}>
      {items}
    </ol>
  ) : (
    <ul class={styles["list"]}>{items}</ul>
  );
}

const itemView = (item: ListItem): VNode => (
  <li class={item.checked === null || item.checked === undefined ? undefined : styles["task"]}>
    {item.checked !== null && item.checked !== undefined && <Box checked={item.checked} />}
    {blocksView(item.children)}
  </li>
);

const Box = ({ checked }: { readonly checked: boolean }): VNode => (
  <span
    class={checked ? styles["ticked"] : styles["unticked"]}
    role="img"
    aria-label={t(checked ? "markdown.done" : "markdown.toDo")}
  />
);

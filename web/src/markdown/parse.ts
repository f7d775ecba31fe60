import type { Root, RootContent } from "mdast";
import { type Options, fromMarkdown } from "mdast-util-from-markdown";
import { gfmAutolinkLiteralFromMarkdown } from "mdast-util-gfm-autolink-literal";
import { gfmStrikethroughFromMarkdown } from "mdast-util-gfm-strikethrough";
import { gfmTableFromMarkdown } from "mdast-util-gfm-table";
import { gfmTaskListItemFromMarkdown } from "mdast-util-gfm-task-list-item";
import { cjkFriendlyExtension } from "micromark-extension-cjk-friendly";
import { gfmAutolinkLiteral } from "micromark-extension-gfm-autolink-literal";
import { gfmStrikethrough } from "micromark-extension-gfm-strikethrough";
import { gfmTable } from "micromark-extension-gfm-table";
import { gfmTaskListItem } from "micromark-extension-gfm-task-list-item";
import remend, { type RemendOptions } from "remend";

const options: Options = {
  extensions: [
    gfmAutolinkLiteral(),
    gfmStrikethrough({ singleTilde: false }),
    gfmTable(),
    gfmTaskListItem(),
    // Emphasis that touches Japanese brackets, as in これは**「重要」**な, counts too.
    cjkFriendlyExtension(),
    // Raw HTML is text like any other.
    { disable: { null: ["htmlFlow", "htmlText"] } },
  ],
  mdastExtensions: [
    gfmAutolinkLiteralFromMarkdown(),
    gfmStrikethroughFromMarkdown(),
    gfmTableFromMarkdown(),
    gfmTaskListItemFromMarkdown(),
  ],
};

/** The whole text as a tree. Its time is bounded only for texts that are tame (limits.ts). */
export function parse(text: string): Root {
  try {
    return fromMarkdown(text, options);
  } catch {
    // Its arrays of arguments can become too long for the stack.
    return {
      type: "root",
      children: [{ type: "paragraph", children: [{ type: "text", value: text }] }],
    };
  }
}

const mending: RemendOptions = {
  linkMode: "text-only",
  // What is no Markdown of ours must stay as it is.
  katex: false,
  htmlTags: false,
  comparisonOperators: false,
  singleTilde: false,
};

/** The blocks of a text that may be cut off anywhere: marks that are open at its end are closed. */
export const parseUnfinished = (text: string): RootContent[] =>
  parse(remend(text, mending)).children;

/** Where in `text` the line begins that a node stands on. */
export function lineOf(text: string, node: RootContent | undefined): number {
  const offset = node?.position?.start.offset ?? 0;
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

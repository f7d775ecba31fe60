import * as fc from "fast-check";
import type { RootContent } from "mdast";
import { describe, expect, it } from "vitest";
import { type Block, type BlockNode, blockOf, partsOf } from "./blocks.ts";
import { parse } from "./parse.ts";
import { StreamedMarkdown } from "./streamed-markdown.ts";

const inlines = [
  "word",
  "**bold**",
  "`code`",
  "[link](https://a.example)",
  "~~gone~~",
  "これは**「重要」**な",
  "a*b",
  "_x_",
  "<b>raw</b>",
  "a|b",
  "\\*",
  "&amp;",
  "https://b.example/x",
  "![p](https://c.example/i.png)",
  "*",
  "`",
  "[",
];
const line = fc
  .array(fc.constantFrom(...inlines), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(" "));
const starts = [
  "",
  "",
  "# ",
  "- ",
  "  - ",
  "1. ",
  "1. ",
  "> ",
  "- [ ] ",
  "   ",
  "    ",
  "* ",
  "+ ",
  " - ",
  "   - ",
];
const special = [
  "",
  "",
  "",
  "---",
  "===",
  "1. one\n2. two\n3. three",
  "```",
  "```ts",
  "~~~",
  "````",
  "| a | b |",
  "| - | :-: |",
  "|x|",
  "-",
  "1.",
  "\t",
  "  ```",
  "  x",
  "- ```",
  "  ",
  ">",
  "***",
  "#",
  "|a|",
  "|-|",
  "```  ",
];
const anyLine = fc.oneof(
  fc.tuple(fc.constantFrom(...starts), line).map(([start, text]) => start + text),
  fc.constantFrom(...special),
);
// Where the parser departs from the specification when more stands around a block, and we do not: an empty list that is the
// first line of a list right below a paragraph, and an empty list beside indented code. And a
// table's head is no empty list.
const emptyInner = /^(?:[ \t]*>|[ \t]*(?:[-+*]|\d[.)])[ \t]+)+[ \t]*(?:[-+*]|\d[.)])[ \t\r]*$/m;
const emptyItem = /^[ \t]*(?:[-+*]|\d[.)])[ \t]*\r?$/m;
const beside = /^(?: {4}|\t|.*\|)/m;
const anyText = fc
  .tuple(
    fc.array(anyLine, { maxLength: 30 }),
    fc.constantFrom("\n", "\n", "\n", "\r\n"),
    fc.boolean(),
  )
  .map(([lines, end, ends]) => lines.join(end) + (ends ? end : ""))
  .filter((text) => !emptyInner.test(text) && !(emptyItem.test(text) && beside.test(text)));

describe("StreamedMarkdown", () => {
  it("ends as a parse of the whole text, whatever the pieces it came in", () => {
    fc.assert(
      fc.property(
        anyText,
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
        (text, sizes) => {
          const streamed = new StreamedMarkdown();
          for (const piece of cut(text, sizes)) {
            streamed.append(piece);
            while (streamed.update());
          }
          finish(streamed);
          expect(plain(streamed.blocks)).toEqual(plainTree(text));
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("waits for the end of a definition whose title takes several lines", () => {
    const text = "[a]: https://a.example\n'title\nof it'\n\nText.\n";
    const streamed = new StreamedMarkdown();
    for (const piece of cut(text, [1])) {
      streamed.append(piece);
      while (streamed.update());
    }
    finish(streamed);
    expect(plain(streamed.blocks)).toEqual(plainTree(text));
    expect(streamed.blocks.map(({ node }) => node.type)).toEqual(["definition", "paragraph"]);
  });

  it("keeps keys and parts that are final, when it grows and when it ends", () => {
    const streamed = new StreamedMarkdown();
    const add = (text: string): readonly Block[] => {
      streamed.append(text);
      while (streamed.update());
      return streamed.blocks;
    };
    const before = add(`# Title\n\nText.\n\n${"- item\n".repeat(70)}`);
    const after = add(`${"- more\n".repeat(30)}\nEnd.\n`);
    finish(streamed);
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[0]).toBe(before[0]);
    expect(streamed.blocks.map(({ key }) => key)).toEqual([0, 1, 2, 3]);
    const [groups, grown] = [before[2]!.node, streamed.blocks[2]!.node];
    if (groups.type !== "items" || grown.type !== "items") throw new Error("There is no list.");
    expect(groups.items.full).toHaveLength(2);
    expect(groups.items.full.every((group, index) => group === grown.items.full[index])).toBe(true);
    expect(partsOf(grown.items)).toHaveLength(100);
  });
});

function* cut(text: string, sizes: readonly number[]): Generator<string> {
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const size = sizes[turn % sizes.length]!;
    yield text.slice(at, at + size);
    at += size;
  }
}

function finish(streamed: StreamedMarkdown): void {
  streamed.finish();
  while (streamed.update());
}

/** Without positions, and without how far apart things stand. */
const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, of: unknown) =>
      key === "position" || key === "spread" || key === "meta" ? undefined : of,
    ),
  );

const plain = (blocks: readonly Block[]): unknown => blocks.map(({ node }) => joined(node));
const plainTree = (text: string): unknown =>
  parse(text.replace(/\r\n?/g, "\n")).children.map((node: RootContent) => joined(blockOf(node)));

function joined(node: BlockNode): unknown {
  if (node.type === "fence") return { ...node, texts: node.texts.join("") };
  if (node.type === "items") return bare({ ...node, items: partsOf(node.items) });
  if (node.type === "rows") return bare({ ...node, rows: partsOf(node.rows) });
  return bare(node);
}

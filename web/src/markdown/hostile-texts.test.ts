import { threadCpuUsage } from "node:process";
import { beforeAll, describe, expect, it } from "vitest";
import { type BlockNode, partsOf } from "./blocks.ts";
import { StreamedMarkdown } from "./streamed-markdown.ts";

/** The goal is 50 ms; this machine may be slower than the one that it was measured on, and has other things to do. */
const WORST_MS = 120;
const repeated = (text: string, length: number): string =>
  text.repeat(Math.ceil(length / text.length));
const deep = (depth: number): string =>
  Array.from({ length: depth }, (_, n) => `${"  ".repeat(n)}- x`).join("\n");
const columns = (cell: string): string => `|${`${cell}|`.repeat(500)}\n`;

const texts: readonly (readonly [string, string])[] = [
  ["a line of 5 MB without blanks", "x".repeat(5_000_000)],
  ["a line of 5 MB in a fence", `\`\`\`\n${"x".repeat(5_000_000)}`],
  ["10,000 rows", `|a|b|c|\n|-|-|-|\n${"| some **b** | c `d` | e |\n".repeat(10_000)}`],
  ["500 columns", columns("a") + columns("-") + columns("b").repeat(5)],
  ["a list nested 2,000 deep on one line", `${"- ".repeat(2_000)}x`],
  ["a list nested 2,000 deep", deep(2_000)],
  ["quotations nested 2,000 deep", `${">".repeat(2_000)}x`],
  ...[
    "*",
    "[",
    "`",
    "<",
    "_",
    "~",
    "a*",
    "a_ ",
    "[a](",
    "![",
    "[[]",
    "`a ",
    "<a@b ",
    "&a",
    "| ",
    "\\[",
  ].map((mark): [string, string] => [`100,000 characters of ${mark}`, repeated(mark, 100_000)]),
  ...[
    "- a\n",
    "> a\n",
    "a\n",
    "a*\n",
    "- a\n  ",
    "1. x\n   ```\n",
    "[a]: /x\n",
    "#\n",
    "\n",
    "```\n",
    "a\n\n",
  ].map((lines): [string, string] => [
    `12,000 characters of ${JSON.stringify(lines)}`,
    repeated(lines, 12_000),
  ]),
  ["marks of emphasis that fit into one parse", repeated("a*", 30_000)],
  ["quoted text without an end", "> some **text** here\n".repeat(10_000)],
  ["an item without an end", `- a\n${"  some **text** here\n".repeat(10_000)}`],
];

/** The longest time that one step took, and how many there were. */
function worstStep(
  text: string,
  piece: number,
): { readonly ms: number; readonly streamed: StreamedMarkdown } {
  const streamed = new StreamedMarkdown();
  let ms = 0;
  const run = (): void => {
    for (let more = true, steps = 0; more; steps++) {
      const before = threadCpuUsage();
      more = streamed.update(0);
      const { user, system } = threadCpuUsage(before);
      ms = Math.max(ms, (user + system) / 1_000);
      if (steps > 50_000) throw new Error("It does not come to an end.");
    }
  };
  for (let at = 0; at < text.length; at += piece) {
    streamed.append(text.slice(at, at + piece));
    run();
  }
  streamed.finish();
  run();
  return { ms, streamed };
}

function words(node: BlockNode): string {
  if (node.type === "fence" || node.type === "plain") return node.texts.join("");
  if (node.type === "items") return partsOf(node.items).map(textIn).join("");
  if (node.type === "rows") return [node.head, ...partsOf(node.rows)].map(textIn).join("");
  return textIn(node);
}

const textIn = (node: object): string => {
  if ("value" in node && typeof node.value === "string") return node.value;
  return "children" in node && Array.isArray(node.children)
    ? node.children.map(textIn).join("")
    : "";
};

const letters = (text: string): number => text.replaceAll(/[^xbd]/g, "").length;

describe("StreamedMarkdown with hostile texts", () => {
  beforeAll(() => {
    // The first runs of a parser are slow on any text.
    for (let n = 0; n < 10; n++)
      worstStep("Some **bold** `x`.\n\n- a\n- b\n\n| a |\n|-|\n| b |\n\n".repeat(50), 1_000);
  });

  it.each(texts)("takes %s in short steps, whole or in pieces, and loses nothing", (_, text) => {
    const pieces = Math.max(2_000, Math.ceil(text.length / 50));
    for (const piece of [text.length, pieces]) {
      const first = worstStep(text, piece);
      const ms = first.ms < WORST_MS ? first.ms : worstStep(text, piece).ms;
      expect(ms).toBeLessThan(WORST_MS);
      const { blocks } = first.streamed;
      const shown = blocks.map(({ node }) => words(node)).join("");
      expect(letters(shown)).toBe(letters(text));
      expect(blocks.every(({ open }) => !open)).toBe(true);
    }
  });
});

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const page = readFileSync(resolve(root, "docs/what-survives.md"), "utf8");

const labelsIn = (text: string): string[] =>
  [...text.matchAll(/\[([a-z][a-z-]*)\]/g)].map(([, label = ""]) => label);

const rows = page
  .split("\n")
  .filter((line) => line.startsWith("| **"))
  .map((line) => line.split("|").slice(1, -1));

const cited = [...page.matchAll(/^- \[([a-z-]+)\] `([^`]+)`: (.+)$/gm)].map(
  ([, label = "", file = "", title = ""]) => ({ label, file, title }),
);

test("every cell of what survives names a test, or says that there is none", () => {
  expect(rows.map(([name = ""]) => name.replaceAll(/[* ]/g, ""))).toEqual([
    "message",
    "approval",
    "grant",
    "turn",
    "toolcall",
    "cost",
  ]);
  for (const [, ...cells] of rows) {
    expect(cells).toHaveLength(4);
    for (const cell of cells) expect(cell).toMatch(/\[[a-z][a-z-]*\]|not proven/i);
  }
  const used = rows.flatMap(([, ...cells]) => cells.flatMap(labelsIn));
  expect(new Set(used)).toEqual(new Set(cited.map(({ label }) => label)));
});

test.each(cited)("[$label] is a test of $file", ({ file, title }) => {
  expect(readFileSync(resolve(root, file), "utf8")).toContain(`"${title}"`);
});

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

/** What else can go wrong, each with what then happens. */
const troubles = page
  .split("\n")
  .filter((line) => line.startsWith("| _"))
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
    "messagebetweenagents",
    "callthatwaits",
    "task",
  ]);
  for (const [, ...cells] of rows) {
    expect(cells).toHaveLength(5);
    for (const cell of cells) expect(cell).toMatch(/\[[a-z][a-z-]*\]|not proven/i);
  }
});

test("every trouble has an outcome and a test that shows it", () => {
  expect(troubles).toHaveLength(14);
  for (const [, outcome = ""] of troubles) expect(outcome).toMatch(/\w.*\[[a-z][a-z-]*\]/);
});

test("every test of the list is named in a table, and the other way round", () => {
  const cells = [...rows, ...troubles].flatMap(([, ...each]) => each);
  const labels = cited.map(({ label }) => label);
  expect(new Set(cells.flatMap(labelsIn))).toEqual(new Set(labels));
  expect(new Set(labels).size).toBe(labels.length);
});

test.each(cited)("[$label] is a test of $file", ({ file, title }) => {
  expect(readFileSync(resolve(root, file), "utf8")).toContain(`"${title}"`);
});

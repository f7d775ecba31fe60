import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorTable } from "../../src/wire/index.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");

/** The cells of each line of the page's two tables, by code, as a person reads them. */
function cellsByCode(): Map<string, string[]> {
  const cells = new Map<string, string[]>();
  for (const line of page.split("\n").filter((each) => each.startsWith("| `"))) {
    const [code = "", ...rest] = line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim().replaceAll("`", ""));
    cells.set(code, [...(cells.get(code) ?? []), ...rest]);
  }
  return cells;
}

test("errors.md has every row of the error table, and no other", () => {
  const rows = [...cellsByCode()].map(([code, [hint, rpc, type, http, exit, again]]) => {
    const numbers = { rpc: Number(rpc), http: Number(http), exit: Number(exit) };
    return [code, { ...numbers, type, retryable: again === "yes", hint }];
  });
  expect(Object.fromEntries(rows)).toEqual(errorTable);
});

test("no hint of the error table breaks the table of errors.md", () => {
  const hints = Object.values(errorTable).map(({ hint }) => hint);
  expect(hints.filter((hint) => /[|`\n]/.test(hint))).toEqual([]);
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorTable } from "../../src/wire/index.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");

/** The rows of the page's table, read back as a person reads them. */
function rowsOfPage(): Record<string, object> {
  const lines = page.split("\n").filter((line) => line.startsWith("| `"));
  return Object.fromEntries(
    lines.map((line) => {
      const [code, rpc, type, http, exit, again, hint] = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim().replaceAll("`", ""));
      const row = { rpc: Number(rpc), type, http: Number(http), exit: Number(exit) };
      return [code, { ...row, retryable: again === "yes", hint }];
    }),
  );
}

test("the page has every row of the table, and no other", () => {
  expect(rowsOfPage()).toEqual(errorTable);
});

test("no cell breaks the table", () => {
  for (const { hint } of Object.values(errorTable)) expect(hint).not.toMatch(/[|`\n]/);
});

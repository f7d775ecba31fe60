import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { transitions } from "./stage.ts";

const page = readFileSync(join(import.meta.dirname, "../../../docs/delivery.md"), "utf8");

/** The rows of the page's table of stages: each stage with the facts that count in it. */
const rows = [...page.matchAll(/^\| `(\w+)`\s*\|[^|]*\|([^|]*)\|$/gm)].map(
  ([, stage = "", facts = ""]) =>
    [stage, [...facts.matchAll(/`(\w+)`/g)].map(([, fact = ""]) => fact)] as const,
);

test("docs/delivery.md lists each stage of stage.ts with the facts that count in it, and no other", () => {
  const table = Object.entries(transitions).map(
    ([stage, facts]) => [stage, Object.keys(facts)] as const,
  );
  expect(rows).toEqual(table);
});

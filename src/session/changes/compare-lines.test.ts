import { diff } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compareLines } from "./compare-lines.ts";

const texts = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30, size: "max" });

/** The new lines, made of the old ones and the differences. */
function patched(
  before: readonly string[],
  after: readonly string[],
  differences: ReturnType<typeof compareLines>,
): string[] {
  const lines: string[] = [];
  let at = 0;
  for (const { oldFrom, oldTo, newFrom, newTo } of differences) {
    lines.push(...before.slice(at, oldFrom), ...after.slice(newFrom, newTo));
    at = oldTo;
  }
  return [...lines, ...before.slice(at)];
}

const size = (differences: ReturnType<typeof compareLines>): number =>
  differences.reduce(
    (sum, { oldFrom, oldTo, newFrom, newTo }) => sum + oldTo - oldFrom + newTo - newFrom,
    0,
  );

test("compareLines turns any lines into any others with as few lines as Node's own diff", () => {
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const differences = compareLines(before, after);
      expect(patched(before, after, differences)).toEqual(after);
      // Node's own fails on two empty lists.
      const steps = before.length + after.length === 0 ? [] : diff(before, after);
      const fewest = steps.filter(([kind]) => kind !== 0).length;
      expect(size(differences)).toBe(fewest);
    }),
  );
});

test("compareLines is still correct when more lines differ than it may look for", () => {
  fc.assert(
    fc.property(texts, texts, fc.nat(4), (before, after, most) => {
      expect(patched(before, after, compareLines(before, after, most))).toEqual(after);
    }),
  );
});

const manyLines = (mark: string): string[] =>
  Array.from({ length: 40_000 }, (_, index) => `${mark}${index}`);

test("compareLines takes little time for long texts that have nothing in common", () => {
  const began = performance.now();
  expect(compareLines(manyLines("a"), manyLines("b"))).toEqual([
    { oldFrom: 0, oldTo: 40_000, newFrom: 0, newTo: 40_000 },
  ]);
  expect(performance.now() - began).toBeLessThan(2_000);
});

import { readdirSync } from "node:fs";
import { basename, resolve } from "node:path";
import { expect, test } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { LongestFirst, longFiles } from "./longest-first.ts";

const found = readdirSync(resolve(import.meta.dirname, "../test"), { recursive: true })
  .map(String)
  .filter((file) => file.endsWith(".test.ts"));

test("every file that is named is there, once", () => {
  const names = found.map((file) => basename(file)).filter((name) => longFiles.includes(name));
  expect(names.toSorted()).toEqual(longFiles.toSorted());
});

test("LongestFirst puts the long files first, in their order, and keeps every file", async () => {
  const project = { name: "process", config: { isolate: true, sequence: { groupOrder: 0 } } };
  const files = found.map((moduleId) => ({ moduleId, project }) as unknown as TestSpecification);
  const cache = { getTestSpecificationResult: () => undefined };
  const sorted = await new LongestFirst({ cache } as unknown as Vitest).sort(files);
  const names = sorted.map(({ moduleId }) => basename(moduleId));
  expect(names.slice(0, longFiles.length)).toEqual(longFiles);
  expect(sorted).toHaveLength(files.length);
  expect(new Set(sorted).size).toBe(files.length);
});

import { expect, test } from "vitest";
import { madeChanges } from "./made-changes.ts";

const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-  a", "+  b"] }];

test("[SES-71] madeChanges compares the texts that Claude Code reports, with their tabs", () => {
  const detail = {
    filePath: "/f",
    oldString: "a",
    newString: "b",
    originalFile: "\ta\n",
    structuredPatch: patch,
    replaceAll: false,
  };
  expect(madeChanges(detail)).toEqual([
    {
      path: "/f",
      kind: "edit",
      added: 1,
      removed: 1,
      hunks: [{ old_start: 1, old_lines: 1, new_start: 1, new_lines: 1, lines: ["-\ta", "+\tb"] }],
    },
  ]);
  // Without the text, the reported patch is the best that there is.
  expect(madeChanges({ ...detail, originalFile: null })).toMatchObject([
    { hunks: [{ lines: ["-  a", "+  b"] }] },
  ]);
});

test("[SES-71] madeChanges believes Claude Code where it has written something else than it was given", () => {
  const detail = {
    filePath: "/f",
    oldString: "say “hi”",
    newString: 'say "bye"',
    originalFile: "say “hi”\n",
    structuredPatch: [
      { oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ["-say “hi”", "+say “bye”"] },
    ],
    replaceAll: false,
  };
  expect(madeChanges(detail)).toMatchObject([{ hunks: [{ lines: ["-say “hi”", "+say “bye”"] }] }]);
});

test("[SES-71] madeChanges tells a new file from one that was overwritten", () => {
  const created = { type: "create", filePath: "/f", content: "a\n", structuredPatch: [] };
  expect(madeChanges({ ...created, originalFile: null })).toMatchObject([
    { kind: "add", added: 1, removed: 0 },
  ]);
  const updated = { ...created, type: "update" };
  expect(madeChanges({ ...updated, originalFile: "b\n" })).toMatchObject([
    { kind: "edit", added: 1, removed: 1 },
  ]);
  expect(madeChanges({ ...updated, originalFile: null })).toEqual([
    { path: "/f", kind: "edit", problem: "too_large" },
  ]);
});

test("[SES-71] madeChanges says nothing where nothing was changed", () => {
  expect(madeChanges("Error: no")).toBeUndefined();
  expect(madeChanges({ stdout: "x" })).toBeUndefined();
  expect(madeChanges({ filePath: "/f", structuredPatch: patch, staged: true })).toBeUndefined();
  expect(madeChanges({ notebook_path: "/n", error: "no cell", new_source: "" })).toBeUndefined();
});

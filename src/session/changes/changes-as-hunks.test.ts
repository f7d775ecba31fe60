import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Hunk } from "../../wire/session/file-change.ts";
import { shortenChange, patchOf } from "./shorten-change.ts";
import { changeBetween } from "./changes-as-hunks.ts";

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join("");

/** What `patch` makes of a text, by the numbers of the hunks alone. */
function patched(before: string, hunks: readonly Hunk[]): string {
  const old = before === "" ? [] : before.split(/(?<=\n)/);
  const lines: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = hunk.old_lines === 0 ? hunk.old_start : hunk.old_start - 1;
    lines.push(...old.slice(at, start));
    expect(lines.length).toBe(hunk.new_lines === 0 ? hunk.new_start : hunk.new_start - 1);
    const fresh = hunk.lines.flatMap((line, index) => {
      if (line.startsWith("-") || line.startsWith("\\")) return [];
      const isOpen = hunk.lines[index + 1]?.startsWith("\\") === true;
      return [line.slice(1) + (isOpen ? "" : "\n")];
    });
    expect(fresh).toHaveLength(hunk.new_lines);
    lines.push(...fresh);
    at = start + hunk.old_lines;
  }
  return [...lines, ...old.slice(at)].join("");
}

test("the hunks of changeBetween have line numbers and up to three lines around a change", () => {
  const before = numbered(1, 30);
  const after = before.replace("line 9\n", "LINE 9\n").replace("line 28\n", "");
  expect(changeBetween(before, after)).toEqual({
    added: 1,
    removed: 2,
    hunks: [
      {
        old_start: 6,
        old_lines: 7,
        new_start: 6,
        new_lines: 7,
        lines: [
          " line 6",
          " line 7",
          " line 8",
          "-line 9",
          "+LINE 9",
          " line 10",
          " line 11",
          " line 12",
        ],
      },
      {
        old_start: 25,
        old_lines: 6,
        new_start: 25,
        new_lines: 5,
        lines: [" line 25", " line 26", " line 27", "-line 28", " line 29", " line 30"],
      },
    ],
  });
});

test("changeBetween tells a missing line end, and does not compare CR LF with LF", () => {
  expect(changeBetween("a\r\nb\r\n", "a\nb\n").hunks).toEqual([]);
  expect(changeBetween("a", "a\n").hunks).toEqual([
    {
      old_start: 1,
      old_lines: 1,
      new_start: 1,
      new_lines: 1,
      lines: ["-a", "\\ No newline at end of file", "+a"],
    },
  ]);
  expect(changeBetween("", "a\n").hunks).toMatchObject([{ old_start: 0, new_start: 1 }]);
});

test("the hunks of changeBetween make the new text of the old one", () => {
  const text = fc
    .array(fc.constantFrom("a\n", "b\n", "c\n", "\n", "\u2028\n"), { maxLength: 40, size: "max" })
    .chain((lines) => fc.constantFrom("", "z").map((end) => lines.join("") + end));
  const edited = fc
    .array(fc.constantFrom("", "", "", "", "gone", "new\n"), { maxLength: 40, size: "max" })
    .map((edits) => {
      const lines = edits.map((_, index) => `line ${index}\n`);
      const after = lines.map((line, index) =>
        edits[index] === "gone" ? "" : line + edits[index],
      );
      return [lines.join(""), after.join("")] as const;
    });
  fc.assert(
    fc.property(fc.oneof(fc.tuple(text, text), edited), ([before, after]) => {
      expect(patched(before, changeBetween(before, after).hunks)).toBe(after);
    }),
    { numRuns: 300 },
  );
});

test("[SES-75] shortenChange keeps what fits of a large change, and has the whole as a patch", () => {
  const change = changeBetween("", numbered(1, 100));
  expect(shortenChange(change, "/a")).toEqual({ added: 100, removed: 0, hunks: change.hunks });
  const { hunks, ...bounded } = shortenChange(change, "/a", 50);
  expect(hunks).toMatchObject([{ old_lines: 0, new_lines: 6, lines: { length: 6 } }]);
  expect(bounded).toEqual({
    added: 100,
    removed: 0,
    truncated: true,
    patch: patchOf("/a", change.hunks),
  });
  expect(bounded.patch).toContain("@@ -0,0 +1,100 @@\n+line 1\n");
});

test("shortenChange cuts no line in two", () => {
  const change = changeBetween("", `${"x".repeat(100)}\n`);
  expect(shortenChange(change, "/a", 99)).toMatchObject({ hunks: [], truncated: true });
});

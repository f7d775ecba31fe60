import { stripVTControlCharacters, styleText } from "node:util";
import { expect, test } from "vitest";
import { brief, cleanPainted, cleanText } from "./clean-text.ts";
import { MarkdownLines } from "./paint-markdown.ts";
import type { Paint } from "./terminal-formats.ts";
import { noPaint } from "./terminal-formats.ts";
import { pieceRows } from "./piece-rows.ts";
import { RunningText } from "./running-text.ts";
import { lettersOf, textWidth, wrap } from "./text-width.ts";

const tags: Paint = (format, text) => `<${[format].flat().join(" ")}>${text}</>`;

test("cleanText removes what a terminal would obey", () => {
  const hostile = "\u001b]0;title\u0007a\u001b[2Jb\rc\u0000\u009bd\u202eevil\u2066\u2028x\ty\r\nz";
  expect(cleanText(hostile)).toBe("abcd�evil�x  y\nz");
  expect(lettersOf(cleanText(hostile)).every((letter) => letter === "\n" || letter >= " ")).toBe(
    true,
  );
  expect(brief("one\ntwo", 20)).toBe("one …");
  expect(brief("a".repeat(30), 10)).toBe(`${"a".repeat(9)}…`);
});

test("cleanPainted keeps our colours, and marks characters that reverse the text", () => {
  const painted = styleText("red", "rm \u202etxt.exe", { validateStream: false });
  expect(cleanPainted(painted)).toBe(styleText("red", "rm �txt.exe", { validateStream: false }));
  expect(cleanPainted("a\u2067b\u001b[2Jc\u0007d\u200fe")).toBe("a�bcde");
});

test("textWidth counts columns", () => {
  expect(textWidth("abc")).toBe(3);
  expect(textWidth("漢字")).toBe(4);
  expect(textWidth("é")).toBe(1);
  expect(textWidth("e\u0301")).toBe(1);
  expect(textWidth("👍")).toBe(2);
  expect(textWidth(styleText("red", "abc", { validateStream: false }))).toBe(3);
});

test("rows wrap between words, and inside words that are too long", () => {
  expect(wrap("one two three", 8)).toEqual(["one two", "three"]);
  expect(wrap("- one two three", 9, "  ")).toEqual(["- one two", "  three"]);
  expect(wrap("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"]);
  expect(wrap("漢字漢字", 5)).toEqual(["漢字", "漢字"]);
  expect(wrap("", 5)).toEqual([""]);
  // A list that is set in deeper than the terminal is wide.
  expect(wrap(`${" ".repeat(12)}- one`, 10, " ".repeat(14)).join("")).toContain("- one");
  const red = styleText("red", "abcdef", { validateStream: false });
  expect(wrap(red, 3).map((row) => stripVTControlCharacters(row))).toEqual(["abc", "def"]);
});

test("Markdown is rendered line by line", () => {
  const lines = new MarkdownLines();
  const show = (line: string): { text: string; indent: string } => {
    const shown = lines.show(line);
    lines.end(line);
    const [row] = pieceRows(shown, { columns: 200, isRest: false, paint: tags });
    return { text: row?.text ?? "", indent: shown.indent };
  };
  const shown = (line: string) => show(line).text;
  expect(shown("# Title")).toBe("<bold underline>Title</>");
  expect(shown("a **bold** and *leaning* `code *x*` 2 * 3 * 4")).toBe(
    "a <bold>bold</> and <italic>leaning</> <cyan>code *x*</> 2 * 3 * 4",
  );
  expect(shown("see [the page](https://x.y)")).toBe("see the page <dim>(https://x.y)</>");
  expect(show("  - item")).toEqual({ text: "  <dim>•</> item", indent: "    " });
  expect(show("12. item")).toEqual({ text: "<dim>12.</> item", indent: "    " });
  expect(shown("- [x] done")).toBe("<dim>•</> ☑ done");
  expect(shown("> said")).toBe("<dim>│ </><dim>said</>");
  expect(shown("```ts")).toBe("<dim>```ts</>");
  expect(shown("# no **title**")).toBe("<cyan># no **title**</>");
  expect(shown("```")).toBe("<dim>```</>");
  expect(shown("**again**")).toBe("<bold>again</>");
  expect(shown("snake_case_name and **unclosed")).toBe("snake_case_name and **unclosed");
});

const rowsOf = (pieces: string[]): string[] => {
  const running = new RunningText("text", noPaint, () => 16);
  return [...pieces.flatMap((piece) => running.push(piece).finished), ...running.end()];
};

test("a text gives the same rows in any pieces", () => {
  const text =
    "# A\n\nsome words that are long enough to fill many rows of this narrow place, and then some more\n- b\nlast";
  const whole = rowsOf([text]);
  expect(whole[0]).toBe("● A");
  expect(whole.at(-1)).toBe("  last");
  for (const row of whole) expect(row.length).toBeLessThanOrEqual(16);
  expect(rowsOf(lettersOf(text))).toEqual(whole);
  expect(rowsOf(text.split(/(?<= )/))).toEqual(whole);
});

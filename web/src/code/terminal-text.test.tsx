// @vitest-environment happy-dom
import { render } from "preact";
import { act } from "preact/test-utils";
import { afterEach, describe, expect, it } from "vitest";
import { SlidingTerminal } from "./sliding-terminal.ts";
import { TerminalOutput } from "./terminal-output.ts";
import type { Span } from "./terminal-spans.ts";
import { TerminalText } from "./terminal-text.tsx";

const esc = "\u{1b}";
const spans = ({ groups, open }: TerminalOutput): readonly Span[] => [
  ...groups.flatMap((group) => group.spans),
  ...open,
];
const words = (output: TerminalOutput): string =>
  spans(output)
    .map(({ text }) => text)
    .join("");

function outputOf(...pieces: string[]): TerminalOutput {
  const output = new TerminalOutput();
  for (const piece of pieces) output.append(piece);
  return output;
}

describe("TerminalOutput", () => {
  it.each([
    ["a link", `${esc}]8;;https://evil.example${esc}\\words${esc}]8;;${esc}\\`, "words"],
    ["the clipboard", `a${esc}]52;c;ZXZpbA==\u{7}b`, "ab"],
    ["a title", `${esc}]0;Allowed by you\u{7}x`, "x"],
    ["moves of the cursor", `a${esc}[2J${esc}[10;10H${esc}[3Ab${esc}7${esc}8`, "ab"],
    ["a device's string", `${esc}Pq#0${esc}\\x${esc}(B`, "x"],
    ["private modes", `${esc}[?25lx${esc}[?25h`, "x"],
    ["commands of one byte", "\u{9b}5Ax\u{9d}0;t\u{9c}y", "xy"],
  ])("does nothing for %s", (_, text, expected) => {
    expect(words(outputOf(text))).toBe(expected);
    expect(words(outputOf(...text.split("")))).toBe(expected);
  });

  it.each([
    ["10%\r20%\r100%\n", "100%\n"],
    ["abcdef\rXY", "XYcdef"],
    [`abcdef\r${esc}[KXY`, "XY"],
    [`abc${esc}[2Kd`, "d"],
    ["ab\bc", "ac"],
    ["a\r\nb\r\n", "a\nb\n"],
  ])("writes %j over itself as a terminal does", (text, expected) => {
    expect(words(outputOf(text))).toBe(expected);
  });

  it("knows 16, 256 and all colours, and keeps them from line to line", () => {
    const output = outputOf(
      `${esc}[31mred\nstill${esc}[0m plain ${esc}[38;5;196mx${esc}[48;2;1;2;3my${esc}[1;4mz`,
    );
    expect(spans(output)).toEqual([
      { text: "red", colour: { is: "named", name: "red" } },
      { text: "\n" },
      { text: "still", colour: { is: "named", name: "red" } },
      { text: " plain " },
      { text: "x", colour: { is: "value", value: "rgb(255, 0, 0)" } },
      expect.objectContaining({ text: "y", ground: { is: "value", value: "rgb(1, 2, 3)" } }),
      expect.objectContaining({ text: "z", decorations: ["bold", "underline"] }),
    ]);
  });

  it("shows text that is set to be hidden", () => {
    expect(spans(outputOf(`${esc}[8mrm -rf /`))).toEqual([{ text: "rm -rf /" }]);
  });

  it("keeps the newest 64 KB, and few pieces however many colours there are", () => {
    const output = new TerminalOutput();
    for (let n = 0; n < 40_000; n++) output.append(`${esc}[3${n % 8}mline ${n}\n`);
    expect(words(output).length).toBeLessThan(70_000);
    expect(spans(output).length).toBeLessThan(6_000);
    expect(words(output)).toContain("line 39999\n");
    expect(output.isCut).toBe(true);
  });

  it("keeps no more than the end of a line that is written over for ever", () => {
    const output = new TerminalOutput();
    for (let n = 0; n < 20_000; n++) output.append(`\r${n} of 20000`);
    expect(words(output)).toBe("19999 of 20000");
  });
});

describe("SlidingTerminal", () => {
  it("goes on with what it has when the text has lost its beginning", () => {
    const terminal = new SlidingTerminal();
    let text = "";
    for (let n = 0; n < 300; n++) {
      text = `${text}line ${n} ${"x".repeat(n % 7)}\n`.slice(-2_000);
      terminal.take(text);
    }
    const output = terminal.take(text);
    expect(words(output)).toContain("line 0 \n");
    expect(words(output).endsWith(text)).toBe(true);
    expect(words(terminal.take("another"))).toBe("another");
  });
});

describe("TerminalText", () => {
  const place = document.createElement("div");
  afterEach(() => render(null, place));

  it("draws colours by classes, and does not touch lines that are drawn", async () => {
    let text = `${esc}[32mgreen${esc}[0m\n`.repeat(120);
    await act(() => render(<TerminalText text={text} />, place));
    const before = [...place.querySelectorAll("pre > span")].slice(0, 2);
    expect(before[0]?.querySelector("span")?.className).toContain("green");
    text += "more\n".repeat(60);
    await act(() => render(<TerminalText text={text} />, place));
    expect([...place.querySelectorAll("pre > span")].slice(0, 2)).toEqual(before);
    expect(place.textContent).toContain("more");
  });
});

import { styleText } from "node:util";
import { expect, test } from "vitest";
import { SmallTerminal } from "../../../test/support/small-terminal.ts";
import { Screen } from "./terminal-screen.ts";
import { cutRow } from "./text-width.ts";

function on(columns: number, rows: number): { terminal: SmallTerminal; screen: Screen } {
  const terminal = new SmallTerminal(columns, rows);
  return { terminal, screen: new Screen(terminal as unknown as NodeJS.WriteStream) };
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `row ${index}`);

test("a footer taller than the terminal leaves nothing behind", () => {
  const { terminal, screen } = on(80, 12);
  screen.show(["said"], []);
  for (const state of ["1 s", "2 s", "3 s"]) {
    screen.setFooter({ rows: [state, ...numbered(30)], row: 30, column: 5 });
  }
  expect(terminal.text).toEqual(["said", ...numbered(30).slice(-12)]);
  expect(terminal.beforeCursor).toBe("row 2");
  screen.setFooter({ rows: numbered(31), row: 30, column: 6 });
  expect(terminal.text).toEqual(["said", ...numbered(31).slice(-12)]);
  // The part is shown in which the cursor is.
  screen.setFooter({ rows: numbered(30), row: 3, column: 5 });
  expect(terminal.text).toEqual(["said", ...numbered(30).slice(3, 15)]);
  expect(terminal.beforeCursor).toBe("row 3");
  screen.end();
  expect(terminal.text).toEqual(["said"]);
});

test("unchanged rows are not drawn again", () => {
  const { terminal, screen } = on(80, 12);
  const footer = { rows: ["ready", "› hi"], row: 1, column: 4 };
  screen.setFooter(footer);
  const { writes } = terminal;
  screen.setFooter({ ...footer, rows: [...footer.rows] });
  expect(terminal.writes).toBe(writes);
  screen.setFooter({ ...footer, column: 3 });
  expect(terminal.writes).toBe(writes + 1);
});

test("a resized terminal keeps no old footer", () => {
  const { terminal, screen } = on(80, 24);
  const draw = (): void => {
    const long = "ready · default · a-model · rehearsal · and more of this".slice(
      0,
      terminal.columns,
    );
    screen.setFooter({ rows: ["", long, "› some words of mine"], row: 2, column: 20 });
  };
  screen.show(["said"], []);
  draw();
  for (const [columns, rows] of [
    [40, 24],
    [80, 24],
    [15, 24],
    [60, 24],
  ] as const) {
    terminal.resize(columns, rows);
    draw();
    expect(terminal.text.filter((row) => /ready/.test(row))).toHaveLength(1);
    expect(terminal.text.slice(0, 2)).toEqual(["said", ""]);
    expect(terminal.text).toHaveLength(4);
  }
});

test("a painted row is cut between letters, and its colour ends", () => {
  const red = styleText("red", "abcdef", { validateStream: false });
  expect(cutRow(red, 3)).toBe(styleText("red", "abc", { validateStream: false }));
  expect(cutRow(red, 6)).toBe(red);
});

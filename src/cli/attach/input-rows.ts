import type { LineEditor } from "./line-editor.ts";
import type { Footer } from "./terminal-screen.ts";
import { firstShown } from "./terminal-screen.ts";
import { lettersOf, textWidth } from "./text-width.ts";

/** The text that a person is writing, in at most `room` rows around the cursor. */
export function inputRows(
  { text, textBeforeCursor }: LineEditor,
  columns: number,
  room: number,
): Footer {
  const written = broken(text, columns);
  const before = broken(textBeforeCursor, columns);
  const row = before.length - 1;
  const first = firstShown(written.length, row, room);
  return {
    rows: written.slice(first, first + room),
    row: row - first,
    column: textWidth(before.at(-1) ?? ""),
  };
}

/** Breaks only at the column, so that the part before the cursor breaks like the whole. */
function broken(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line, index) => {
    const mark = index === 0 ? "› " : "  ";
    const rows = [mark];
    for (const character of lettersOf(line)) {
      const row = (rows.at(-1) ?? "") + character;
      if (textWidth(row) > columns) rows.push(`  ${character}`);
      else rows[rows.length - 1] = row;
    }
    return rows;
  });
}

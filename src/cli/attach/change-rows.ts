import type { StoredText } from "../../wire/blob.ts";
import type { FileChange, Hunk } from "../../wire/session/file-change.ts";
import { cleanText } from "./clean-text.ts";
import type { Paint } from "./terminal-formats.ts";
import { noPaint } from "./terminal-formats.ts";
import { wrap } from "./text-width.ts";

const MAX_ROWS = 40;
/** Columns for the whole of a change, which is shown on demand. */
const WIDE = 10_000;

export interface ChangeRows {
  readonly rows: readonly string[];
  /** The whole, if rows are missing. */
  readonly folded?: { readonly text: StoredText; readonly lines: number };
}

const problems = {
  unreadable: "the file cannot be read",
  binary: "the file is no text",
  too_large: "the file or the change is too large",
  no_match: "the text to replace is not there",
  several_matches: "the text to replace is there more than once",
  exists: "the file was to be new, and has a content already",
} as const;

/** What a call changes in a file, with line numbers. */
export function changeRows(change: FileChange, paint: Paint, columns: number): ChangeRows {
  const { problem, hunks = [], truncated, patch } = change;
  const head = paint("dim", headOf(change));
  if (problem) return { rows: [head, paint("yellow", `No preview: ${problems[problem]}.`)] };
  const rows = hunkRows(hunks, paint, columns);
  if (rows.length <= MAX_ROWS && truncated !== true) return { rows: [head, ...rows] };
  const shown = rows.slice(0, MAX_ROWS);
  const left = hunkRows(hunks, noPaint, WIDE).join("\n");
  const lines = (change.added ?? 0) + (change.removed ?? 0);
  return { rows: [head, ...shown], folded: { text: patch ?? left, lines } };
}

function headOf({ kind, cell, added = 0, removed = 0, problem }: FileChange): string {
  const what = { add: "new file", edit: "", delete: "deleted file" }[kind];
  const where = cell ? `${cell.edit} cell ${cleanText(cell.id ?? "")}`.trim() : what;
  const count = problem ? "" : `+${added} -${removed}`;
  return [where, count].filter((each) => each !== "").join("  ");
}

function hunkRows(hunks: readonly Hunk[], paint: Paint, columns: number): string[] {
  const last = hunks.at(-1);
  const most = Math.max(
    (last?.old_start ?? 0) + (last?.old_lines ?? 0),
    (last?.new_start ?? 0) + (last?.new_lines ?? 0),
  );
  const width = String(most).length;
  return hunks.flatMap((hunk, index) => [
    ...(index > 0 ? [paint("dim", `${" ".repeat(width)} ⋮`)] : []),
    ...linesOf(hunk, width, paint, columns),
  ]);
}

/** Long lines go on in the next row: a person must see all of what they allow. */
function linesOf(hunk: Hunk, width: number, paint: Paint, columns: number): string[] {
  let old = hunk.old_start;
  let fresh = hunk.new_start;
  return hunk.lines.flatMap((line) => {
    const mark = line[0] ?? " ";
    const text = cleanText(line.slice(1)).replaceAll("\n", " ");
    const number = mark === "\\" ? "" : String(mark === "-" ? old : fresh);
    if (mark === " " || mark === "-") old += 1;
    if (mark === " " || mark === "+") fresh += 1;
    const row = `${number.padStart(width)} ${mark} ${text}`;
    const colour = { "-": "red", "+": "green" }[mark] ?? "dim";
    const indent = " ".repeat(width + 3);
    return wrap(row, columns, indent).map((each) => paint(colour as "red" | "green" | "dim", each));
  });
}

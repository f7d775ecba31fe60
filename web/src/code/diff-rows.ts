import type { Hunk } from "agent-switchboard/wire";

export type DiffRow =
  | { readonly is: "same"; readonly old: number; readonly new: number; readonly text: string }
  | { readonly is: "del"; readonly old: number; readonly text: string }
  | { readonly is: "add"; readonly new: number; readonly text: string }
  /** Such as that a file has no line end at its end. */
  | { readonly is: "note"; readonly text: string }
  /** Lines that stay are left out here. */
  | { readonly is: "gap" };

/** The lines of a change in order, each with its number. */
export function rowsOfHunks(hunks: readonly Hunk[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let reached = 1;
  for (const hunk of hunks) {
    const begins = hunk.old_lines === 0 ? hunk.old_start + 1 : hunk.old_start;
    if (begins > reached) rows.push({ is: "gap" });
    rows.push(...rowsOfHunk(hunk));
    reached = begins + hunk.old_lines;
  }
  return rows;
}

function rowsOfHunk(hunk: Hunk): DiffRow[] {
  let [before, after] = [hunk.old_start, hunk.new_start];
  return hunk.lines.map((line): DiffRow => {
    const text = line.slice(1);
    if (line.startsWith("-")) return { is: "del", old: before++, text };
    if (line.startsWith("+")) return { is: "add", new: after++, text };
    if (line.startsWith("\\")) return { is: "note", text: text.trim() };
    return { is: "same", old: before++, new: after++, text };
  });
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** The hunks of the text of a unified diff of one file. */
export function hunksOfPatch(patch: string): Hunk[] {
  const hunks: Hunk[] = [];
  let hunk: Hunk | undefined;
  let [before, after] = [0, 0];
  for (const line of patch.split("\n")) {
    const isInside = hunk !== undefined && (before > 0 || after > 0 || line.startsWith("\\"));
    if (hunk !== undefined && isInside) {
      hunk.lines.push(line);
      if (!line.startsWith("+") && !line.startsWith("\\")) before--;
      if (!line.startsWith("-") && !line.startsWith("\\")) after--;
      continue;
    }
    const head = hunkHead.exec(line);
    if (head === null) continue;
    hunk = {
      old_start: Number(head[1]),
      old_lines: Number(head[2] ?? 1),
      new_start: Number(head[3]),
      new_lines: Number(head[4] ?? 1),
      lines: [],
    };
    [before, after] = [hunk.old_lines, hunk.new_lines];
    hunks.push(hunk);
  }
  return hunks;
}

/** How many lines come and go. */
export const countRows = (
  rows: readonly DiffRow[],
): { readonly added: number; readonly removed: number } => ({
  added: rows.filter(({ is }) => is === "add").length,
  removed: rows.filter(({ is }) => is === "del").length,
});

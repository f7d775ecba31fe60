import type { FileChange, Hunk } from "../../wire/session/file-change.ts";
import type { TextChange } from "./changes-as-hunks.ts";

/** How much of a change stands in its event. A person on a phone reads less. */
const MAX_HUNK_CHARS = 65_536;

/** The fields of a change that fit into an event. The log stores a `patch` beside itself, whatever its size. */
export function shortenChange(
  change: TextChange,
  path: string,
  maxChars: number = MAX_HUNK_CHARS,
): Pick<FileChange, "added" | "removed" | "hunks" | "truncated" | "patch"> {
  const { added, removed, hunks } = change;
  const kept = firstHunks(hunks, maxChars);
  if (kept === hunks) return { added, removed, hunks };
  return { added, removed, hunks: kept, truncated: true, patch: patchOf(path, hunks) };
}

/** The hunks themselves if they fit; else those at the beginning, the last of them perhaps without its end. */
function firstHunks(hunks: Hunk[], maxChars: number): Hunk[] {
  const kept: Hunk[] = [];
  let room = maxChars;
  for (const hunk of hunks) {
    let count = 0;
    while (count < hunk.lines.length && room >= (hunk.lines[count]?.length ?? 0)) {
      room -= (hunk.lines[count]?.length ?? 0) + 1;
      count += 1;
    }
    if (count < hunk.lines.length) {
      return count === 0 ? kept : [...kept, cutHunk(hunk, count)];
    }
    kept.push(hunk);
  }
  return hunks;
}

function cutHunk(hunk: Hunk, count: number): Hunk {
  const lines = hunk.lines.slice(0, count);
  const has = (mark: string): number => lines.filter((line) => line.startsWith(mark)).length;
  const same = has(" ");
  return { ...hunk, lines, old_lines: same + has("-"), new_lines: same + has("+") };
}

/** The text of a unified diff. */
export function patchOf(path: string, hunks: readonly Hunk[]): string {
  const parts = hunks.map(
    ({ old_start, old_lines, new_start, new_lines, lines }) =>
      `@@ -${old_start},${old_lines} +${new_start},${new_lines} @@\n${lines.join("\n")}\n`,
  );
  return `--- ${path}\n+++ ${path}\n${parts.join("")}`;
}

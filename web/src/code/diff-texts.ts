import type { Hunk } from "agent-switchboard/wire";
import { structuredPatch } from "diff";

const CONTEXT = 3;

/** The hunks between two texts. Texts that differ too much to be compared in that time are one hunk: all goes, all comes. */
export function diffTexts(before: string, after: string, timeoutMs: number): Hunk[] {
  const patch = structuredPatch("", "", before, after, "", "", {
    context: CONTEXT,
    timeout: timeoutMs,
  });
  // Its type does not say that it is undefined after a timeout of zero.
  if (patch === undefined) return [wholeHunk(before, after)];
  return patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => ({
    old_start: oldStart,
    old_lines: oldLines,
    new_start: newStart,
    new_lines: newLines,
    lines,
  }));
}

function wholeHunk(before: string, after: string): Hunk {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return {
    old_start: old.length === 0 ? 0 : 1,
    old_lines: old.length,
    new_start: fresh.length === 0 ? 0 : 1,
    new_lines: fresh.length,
    lines: [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)],
  };
}

const linesOf = (text: string): string[] =>
  text === "" ? [] : text.replace(/\n$/, "").split("\n");

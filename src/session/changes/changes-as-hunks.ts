import type { Hunk } from "../../wire/session/file-change.ts";
import type { Difference } from "./compare-lines.ts";
import { compareLines } from "./compare-lines.ts";

const CONTEXT_LINES = 3;
const NO_LINE_END = "\\ No newline at end of file";

/** A whole change of a text. */
export interface TextChange {
  readonly hunks: Hunk[];
  readonly added: number;
  readonly removed: number;
}

/** What changes between two texts. How lines end (CR LF or LF) is not compared. */
export function changeBetween(before: string, after: string): TextChange {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const differences = compareLines(old, fresh);
  const sum = (count: (each: Difference) => number) =>
    differences.reduce((total, each) => total + count(each), 0);
  return {
    hunks: grouped(differences).map((group) => hunkOf(group, old, fresh)),
    added: sum(({ newFrom, newTo }) => newTo - newFrom),
    removed: sum(({ oldFrom, oldTo }) => oldTo - oldFrom),
  };
}

/** With its line end: the last line differs from one without. */
function linesOf(text: string): string[] {
  const lines = text.replaceAll("\r\n", "\n").split(/(?<=\n)/);
  return lines[0] === "" ? [] : lines;
}

/** Differences whose surroundings touch or overlap share a hunk. */
function grouped(differences: readonly Difference[]): Difference[][] {
  const groups: Difference[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const difference of differences) {
    const isNear = difference.oldFrom - end <= 2 * CONTEXT_LINES;
    if (isNear) groups.at(-1)?.push(difference);
    else groups.push([difference]);
    end = difference.oldTo;
  }
  return groups;
}

function hunkOf(
  group: readonly Difference[],
  old: readonly string[],
  fresh: readonly string[],
): Hunk {
  const [first, last] = [group[0], group.at(-1)];
  const oldFrom = Math.max((first?.oldFrom ?? 0) - CONTEXT_LINES, 0);
  const oldTo = Math.min((last?.oldTo ?? 0) + CONTEXT_LINES, old.length);
  const newFrom = (first?.newFrom ?? 0) - ((first?.oldFrom ?? 0) - oldFrom);
  const newTo = (last?.newTo ?? 0) + (oldTo - (last?.oldTo ?? 0));
  const lines: string[] = [];
  let at = oldFrom;
  for (const difference of group) {
    lines.push(...marked(" ", old.slice(at, difference.oldFrom)));
    lines.push(...marked("-", old.slice(difference.oldFrom, difference.oldTo)));
    lines.push(...marked("+", fresh.slice(difference.newFrom, difference.newTo)));
    at = difference.oldTo;
  }
  lines.push(...marked(" ", old.slice(at, oldTo)));
  return {
    // A side without lines is named by the line before it, as in a unified diff.
    old_start: oldTo > oldFrom ? oldFrom + 1 : oldFrom,
    old_lines: oldTo - oldFrom,
    new_start: newTo > newFrom ? newFrom + 1 : newFrom,
    new_lines: newTo - newFrom,
    lines,
  };
}

const marked = (mark: " " | "-" | "+", lines: readonly string[]): string[] =>
  lines.flatMap((line) =>
    line.endsWith("\n") ? [mark + line.slice(0, -1)] : [mark + line, NO_LINE_END],
  );

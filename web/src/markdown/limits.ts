/** What is handed to the parser at once, of a text that is there already. */
export const WINDOW = 4_096;
export const WINDOW_LINES = 128;
/** A block that fills this is looked at again with twice as much, up to so many times as much. */
export const MAX_WINDOWS = 8;
/** An open part is parsed at every step up to here. */
export const ALWAYS_PARSED = 4_096;
/** A part of one block that is longer is shown as it is written, not parsed. */
export const MAX_PARSED = 32_768;
/** A part of over 4,096 characters is parsed again when it has grown by this factor. */
export const GROWTH = 1.08;
/** Lines of code, or of a text that is not parsed, are shown in groups of so many characters at most. */
export const GROUP_CHARS = 4_096;
export const GROUP_LINES = 64;
export const GROUP_PARTS = 32;

/** The time that the parser needs grows with the square of these numbers. */
const MAX_MARKS = 500;
const MAX_LINES = 1_000;
const MAX_CONTAINER_LINES = 400;
const MAX_DEPTH = 40;
const containerMarks = /^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t]))+/;
const deepItem = new RegExp(`^[ \\t]{${2 * MAX_DEPTH},}(?:[-+*]|\\d{1,9}[.)])[ \\t]`, "m");

/**
 * Whether the parser takes this text in bounded time: it is at most 32,768 characters long, has at most 1,000 lines, 400 of
 * them that begin a quotation or an item, and 500 runs of `*`, `_` and `~`, and nothing is nested deeper than 40 levels.
 * Other texts are shown as written.
 */
export function isTame(text: string): boolean {
  if (text.length > MAX_PARSED || deepItem.test(text)) return false;
  let marks = 0;
  for (const _ of text.matchAll(/[*_~]+/g)) if (++marks > MAX_MARKS) return false;
  const lines = text.split("\n");
  if (lines.length > MAX_LINES) return false;
  let containers = 0;
  for (const line of lines) {
    const depth = depthOf(line);
    if (depth > MAX_DEPTH) return false;
    if (depth > 0 && ++containers > MAX_CONTAINER_LINES) return false;
  }
  return true;
}

function depthOf(line: string): number {
  const marks = containerMarks.exec(line)?.[0];
  return marks === undefined ? 0 : marks.replace(/\d+|[ \t]/g, "").length;
}

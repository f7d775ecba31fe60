import { resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

/** Where a user's file is wrong; lines and columns count from 1. */
export interface ErrorPlace {
  file: string;
  line: number;
  column?: number;
}

/** This program's own files, built or not. */
const ownFolder = resolve(import.meta.dirname, "../..") + sep;

/**
 * The location that an error's stack names: above its message for a syntax error, otherwise the first call in a
 * user's file.
 */
export function placeInStack(stack: string): ErrorPlace | undefined {
  return syntaxPlace(stack) ?? callPlace(stack);
}

/** Node writes `FILE:LINE`, then the line, sometimes after the one above it, and below it a row of carets. */
export function syntaxPlace(text: string): ErrorPlace | undefined {
  const [head = "", ...below] = text.split("\n", 5);
  const place = /^(\/.*|file:\/\/.*):(\d+)$/.exec(head);
  const carets = below.find((line) => /^\s*\^+\s*$/.test(line));
  if (!place?.[1] || carets === undefined) return undefined;
  return { file: pathOf(place[1]), line: Number(place[2]), column: carets.indexOf("^") + 1 };
}

function callPlace(stack: string): ErrorPlace | undefined {
  for (const [, where = "", line, column] of stack.matchAll(
    /^ {4}at (?:.*\()?((?:file:\/\/)?\/.*?):(\d+):(\d+)\)?$/gm,
  )) {
    const file = pathOf(where);
    if (isUsers(file)) return { file, line: Number(line), column: Number(column) };
  }
  return undefined;
}

const pathOf = (where: string): string =>
  where.startsWith("file:") ? fileURLToPath(where) : where;

/** Neither ours nor a library's. */
const isUsers = (file: string): boolean =>
  !file.includes("/node_modules/") && !file.startsWith(ownFolder);

export const placeText = ({ file, line, column }: ErrorPlace): string =>
  [file, line, ...(column === undefined ? [] : [column])].join(":");

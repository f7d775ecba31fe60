import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesOf } from "./source-files.ts";

const maxLines = 400;

/** Source files that are too long to hold one idea. */
export async function checkFileLength(root: string): Promise<string[]> {
  const files = filesOf(root, "**/*.{ts,tsx}");
  if (files.length === 0) return ["There is no TypeScript file: nothing was checked."];
  return files
    .map((file) => ({ file, lines: linesOf(readFileSync(join(root, file), "utf8")) }))
    .filter(({ lines }) => lines > maxLines)
    .map(
      ({ file, lines }) => `${file} has ${lines} lines; ${maxLines} are allowed. Split it by idea.`,
    );
}

function linesOf(text: string): number {
  return text.replace(/\n$/, "").split("\n").length;
}

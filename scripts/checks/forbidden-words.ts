import { readFileSync } from "node:fs";
import { join } from "node:path";
import { filesOf } from "./source-files.ts";

interface Ban {
  files: string;
  words: RegExp;
  because: string;
}

// The brackets keep each pattern from matching its own line here.
const bans: Ban[] = [
  {
    files: "**/*.{ts,tsx,js,json,yaml,yml,md,sh}",
    words: /[/](?:work[/](?:main|shared)|root|home[/]\w+)[/]/,
    because: "a path of one machine",
  },
  {
    files: "**/*.{ts,tsx,js,json,yaml,yml,md,sh}",
    words: /[r]egistry\.[a-z]|npmjs\.[o]rg/,
    because: "the address of a registry",
  },
  {
    files: "**/*.md",
    words: /\b[s]eed \d{3}\b|\b[i]ssue #?\d+\b/i,
    because: "a reference that readers cannot follow",
  },
  {
    files: "{src,test,scripts,bench,examples}/**/*.{ts,tsx}",
    words: /[o]xlint-disable|[e]slint-disable|@ts-(?:[i]gnore|[n]ocheck|[e]xpect-error)/,
    because: "a switch that turns a check off",
  },
  {
    // The team's folder is not clean of them yet.
    files: "src/!(team)/**/*.ts",
    words: /\b(?:gives? back|gave back|unless told|whoever)\b/i,
    because: "a word that has a plainer one (returns, by default, the party's name)",
  },
];

/** Words that belong to one machine, that silence another check, or that readers stumble over. */
export async function checkForbiddenWords(root: string): Promise<string[]> {
  return bans.flatMap(({ files, words, because }) =>
    filesOf(root, files).flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .flatMap((line, index) =>
          words.test(line) ? [`${file}:${index + 1} has ${because}: ${line.trim()}`] : [],
        ),
    ),
  );
}

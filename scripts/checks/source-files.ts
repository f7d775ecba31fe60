import { globSync } from "node:fs";

const notOurs = ["node_modules", "dist", "coverage", ".git"];

/** Paths of the files that match, relative to `root`, without what is installed or built. */
export function filesOf(root: string, pattern: string): string[] {
  return globSync(pattern, {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) => notOurs.includes(entry.name),
  })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length + 1))
    .sort();
}

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";

/** On the disk of the project, because the directory for temporary files may be in memory. */
export function makePlace(): { path(name: string): string; remove(): void } {
  const results = join(import.meta.dirname, "../results");
  mkdirSync(results, { recursive: true });
  const directory = mkdtempSync(join(results, "bus-"));
  return {
    path: (name) => join(directory, name),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

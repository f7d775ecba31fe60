import { copyFileSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { findDamage } from "../../src/bus/sqlite/check-integrity.ts";

const TRIES = 20;

/**
 * What is wrong with the database of a bus that may be in use: it is judged on a copy. Between two
 * checkpoints only the log of writes changes, and any beginning of it is a state that a power cut could leave.
 */
export function damageOf(path: string, directory: string): string[] {
  const copy = join(directory, "picture.db");
  for (let left = TRIES; left > 0; left -= 1) {
    const before = statSync(path).mtimeMs;
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    copyFileSync(path, copy);
    if (statSync(path).mtimeMs === before) return findDamage(copy);
  }
  return ["it never stood still"];
}

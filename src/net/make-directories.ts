import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./system-error.ts";

/**
 * Makes a directory and those above it that are missing; one that is there is left as it is. Node's own way
 * of doing this never comes back where the system makes none but says that one is missing, as in /proc.
 *
 * @throws the system's error.
 */
export function makeDirectories(path: string, mode: number): void {
  if (tryMake(path, mode)) return;
  makeDirectories(dirname(path), mode);
  mkdirUnlessThere(path, mode);
}

/** False when one above it is missing. */
function tryMake(path: string, mode: number): boolean {
  try {
    mkdirUnlessThere(path, mode);
    return true;
  } catch (error) {
    if (systemCode(error) === "ENOENT" && dirname(path) !== path) return false;
    throw error;
  }
}

function mkdirUnlessThere(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { systemCode } from "./system-error-code.ts";

/**
 * Makes a directory and the missing ones above it; an existing one stays unchanged. Node's own function never returns
 * where the system makes none but reports that one is missing, as in /proc.
 *
 * @throws the system's error.
 */
export function makeDirectories(path: string, mode: number): void {
  if (tryMake(path, mode)) return;
  makeDirectories(dirname(path), mode);
  mkdirUnlessThere(path, mode);
}

/** Returns false when a directory above it is missing. */
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

import { closeSync, fdatasyncSync, fsyncSync, openSync, renameSync } from "node:fs";
import { rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { makeDirectories } from "../../net/make-directories.ts";

const PRIVATE_FILE = 0o600;
const PRIVATE_DIRECTORY = 0o700;

export function makeDirectory(path: string): void {
  makeDirectories(path, PRIVATE_DIRECTORY);
}

/** Makes names that were created, changed or removed in a directory survive a loss of power. */
export function syncDirectory(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Writes all of it: the system may take only a part at a time. */
export function writeAll(fd: number, bytes: Uint8Array, position: number): void {
  let written = 0;
  while (written < bytes.length) {
    written += writeSync(fd, bytes, written, bytes.length - written, position + written);
  }
}

/** Puts a whole file in place at once: after a crash there is the old one or the new one. */
export function replaceFile(path: string, bytes: Uint8Array, how: { durable: boolean }): void {
  const draft = `${path}.tmp`;
  try {
    const fd = openSync(draft, "w", PRIVATE_FILE);
    try {
      writeAll(fd, bytes, 0);
      if (how.durable) fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
    if (how.durable) syncDirectory(dirname(path));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

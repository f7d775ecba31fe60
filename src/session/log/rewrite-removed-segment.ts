import { closeSync, fstatSync, fsyncSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { syncDirectory, writeAll } from "../../files/replace-file.ts";
import { makePrivateDirectory } from "./make-private-directory.ts";
import type { Identity } from "./log-id-and-epochs.ts";
import { writeIdentity } from "./log-id-and-epochs.ts";
import { currentPath } from "./segment-files.ts";

const CHUNK_BYTES = 1_048_576;

/** The file was removed: what is written to it now is lost with this process. */
export const isRemoved = (fd: number): boolean => fstatSync(fd).nlink === 0;

/**
 * Writes a removed segment again, in its place, with its contents. Returns the descriptor of the new file.
 *
 * @throws what the file system throws, also when another file has taken its place.
 */
export function rewriteRemovedSegment(
  directory: string,
  fd: number,
  size: number,
  identity: Identity,
): number {
  makePrivateDirectory(directory);
  const path = currentPath(directory);
  const file = openSync(path, "wx+", 0o600);
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; at < size;) {
      const count = readSync(fd, chunk, 0, Math.min(chunk.length, size - at), at);
      if (count === 0) break;
      writeAll(file, chunk.subarray(0, count), at);
      at += count;
    }
    fsyncSync(file);
    writeIdentity(directory, identity);
    syncDirectory(dirname(path));
    return file;
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

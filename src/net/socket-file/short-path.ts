import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fitsSocketPath } from "./socket-path.ts";

/** Whether a socket whose path is too long can be bound and reached nevertheless. */
export const reachesLongPaths = process.platform === "linux";

interface ShortName extends Disposable {
  readonly path: string;
}

/**
 * A path of a socket that the system accepts, until it is disposed of. Where the path is too long, on Linux, it leads
 * through a descriptor of the directory. Throws the system's error.
 */
export function shortPath(path: string): ShortName {
  if (fitsSocketPath(path) || !reachesLongPaths) return { path, [Symbol.dispose]: () => {} };
  const directory = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${directory}/${basename(path)}`,
    [Symbol.dispose]: () => closeSync(directory),
  };
}

import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname } from "node:path";
import { fitsSocketPath } from "./socket-path.ts";

/** Whether a socket whose path is too long can be bound and reached all the same. */
export const reachesLongPaths = process.platform === "linux";

interface ShortName extends Disposable {
  readonly path: string;
}

/**
 * A name of a socket that the system takes, for as long as it is not disposed of. Where the path is too long,
 * Linux has one that leads through a descriptor of the directory. Throws the system's error.
 */
export function shortName(path: string): ShortName {
  if (fitsSocketPath(path) || !reachesLongPaths) return { path, [Symbol.dispose]: () => {} };
  const directory = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    path: `/proc/self/fd/${directory}/${basename(path)}`,
    [Symbol.dispose]: () => closeSync(directory),
  };
}

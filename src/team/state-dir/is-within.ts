import { isAbsolute, relative, sep } from "node:path";

/** Whether the path is the directory itself, or below it. */
export function isWithin(path: string, directory: string): boolean {
  const way = relative(directory, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

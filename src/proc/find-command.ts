import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";

/** Where the system would find a command: a path as it is (relative to `cwd`), a name in `path`. */
export function findCommand(command: string, path: string, cwd = "."): string | undefined {
  const candidates = command.includes("/")
    ? [resolve(cwd, command)]
    : path.split(delimiter).map((directory) => join(resolve(cwd, directory), command));
  return candidates.find(isExecutable);
}

/** The system's own tools first: a project's `node_modules/.bin` may hold another `grep`. */
export const systemPath = (): string => `/usr/bin:/bin:${process.env["PATH"] ?? ""}`;

export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

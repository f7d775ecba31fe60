import { systemCode } from "./system-error-code.ts";

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is a file, not a directory",
  EISDIR: "it is a directory, not a file",
  EACCES: "you may not read or write it",
  EPERM: "you may not read or write it",
  EEXIST: "it already exists",
  EROFS: "its disk is read-only",
  ENOSPC: "its disk is full",
};

/** Says in a person's words why a file could not be read or written. */
export function describeFileError(thrown: unknown): string {
  const known = words[systemCode(thrown) ?? ""];
  return known ?? (thrown instanceof Error ? thrown.message : String(thrown));
}

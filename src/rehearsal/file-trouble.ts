import { systemCode } from "../net/system-error.ts";

const words: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of the path is a file, not a directory",
  EISDIR: "it is a directory, not a file",
  EACCES: "you may not read or write it",
  EPERM: "you may not read or write it",
  EEXIST: "it is there already",
  EROFS: "its disk can only be read",
  ENOSPC: "its disk is full",
};

/** What went wrong with a file that a person named, in a person's words. */
export function fileTrouble(thrown: unknown): string {
  const known = words[systemCode(thrown) ?? ""];
  return known ?? (thrown instanceof Error ? thrown.message : String(thrown));
}

import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { makeDirectories } from "./make-directories.ts";

const permissions = (path: string): number => statSync(path).mode & 0o777;

test("every level that is missing is made with the mode, and what is there is left as it is", () => {
  const top = join(tempDir(), "top");
  mkdirSync(top, { mode: 0o755 });
  makeDirectories(join(top, "a/b"), 0o700);
  makeDirectories(join(top, "a/b"), 0o755);
  expect([top, join(top, "a"), join(top, "a/b")].map(permissions)).toEqual([0o755, 0o700, 0o700]);
  symlinkSync(top, `${top}-link`);
  makeDirectories(`${top}-link`, 0o700);
  makeDirectories("/", 0o700);
});

test("a file in the way is the system's error", () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(() => makeDirectories(file, 0o700)).toThrow("EEXIST");
  expect(() => makeDirectories(join(file, "a/b"), 0o700)).toThrow("ENOTDIR");
});

test("a place in which the system makes no directory is an error soon", () => {
  expect(() => makeDirectories("/proc/nowhere/state", 0o700)).toThrow("/proc/nowhere");
});

import { mkdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { makeDirectories } from "./make-directories.ts";

const permissions = (path: string): number => statSync(path).mode & 0o777;

test("makeDirectories creates every missing level with the mode, and leaves existing ones unchanged", () => {
  const top = join(tempDir(), "top");
  mkdirSync(top, { mode: 0o755 });
  makeDirectories(join(top, "a/b"), 0o700);
  makeDirectories(join(top, "a/b"), 0o755);
  expect([top, join(top, "a"), join(top, "a/b")].map(permissions)).toEqual([0o755, 0o700, 0o700]);
  symlinkSync(top, `${top}-link`);
  makeDirectories(`${top}-link`, 0o700);
  makeDirectories("/", 0o700);
});

test("makeDirectories fails with the system's error when a file is in the way", () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  expect(() => makeDirectories(file, 0o700)).toThrow("EEXIST");
  expect(() => makeDirectories(join(file, "a/b"), 0o700)).toThrow("ENOTDIR");
});

test("makeDirectories fails soon where the system makes no directory", () => {
  expect(() => makeDirectories("/proc/nowhere/state", 0o700)).toThrow("/proc/nowhere");
});

import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import type { ToolSchema } from "../../wire/tool-schema-file.ts";
import { writeSchemaFile } from "./write-schema-file.ts";

const schema: ToolSchema = { name: "a", description: "d", input_schema: { type: "object" } };
const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

test("writeSchemaFile writes a private, complete file and leaves nothing else", () => {
  const directory = tempDir();
  const path = join(directory, "tools.json");
  writeSchemaFile(path, [schema]);
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  expect(read(path)).toEqual([schema]);
  const { ino } = lstatSync(path);
  writeSchemaFile(path, []);
  expect(read(path)).toEqual([]);
  // Another file, moved into place: a reader of the old one reads that to its end.
  expect(lstatSync(path).ino).not.toBe(ino);
  expect(readdirSync(directory)).toEqual(["tools.json"]);
});

test("writeSchemaFile replaces another user's link and leaves its target unchanged", () => {
  const directory = tempDir();
  const [path, precious] = [join(directory, "tools.json"), join(directory, "precious")];
  writeFileSync(precious, "precious");
  symlinkSync(precious, path);
  writeSchemaFile(path, [schema]);
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readFileSync(precious, "utf8")).toBe("precious");
});

test("writeSchemaFile fails with the caller's error when the directory does not exist, and leaves nothing", () => {
  const path = join(tempDir(), "missing", "tools.json");
  expect(() => writeSchemaFile(path, [schema])).toThrow("ENOENT");
});

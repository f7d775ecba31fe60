import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { BridgeStartupError } from "../../wire/errors.ts";
import { ToolList } from "./announced-tools.ts";

const tool = (name: string, more = {}) => ({
  name,
  description: "",
  input_schema: { type: "object" },
  ...more,
});

function listOf(...tools: object[]) {
  const path = join(tempDir(), "schema.json");
  const write = (...changed: object[]) => writeFileSync(path, JSON.stringify(changed));
  write(...tools);
  const list = new ToolList(path);
  return { path, write, list, names: () => list.giveOut().map(({ name }) => name) };
}

describe("the list of tools", () => {
  it("[IPC-19] follows the file", () => {
    const { write, names, list } = listOf(tool("a"));
    expect(names()).toEqual(["a"]);
    write(tool("b", { idempotent: true }));
    expect(names()).toEqual(["b"]);
    expect([list.isIdempotent("a"), list.isIdempotent("b")]).toEqual([false, true]);
    expect(list.isIdempotent(undefined)).toBe(false);
  });

  it("[IPC-19] keeps the last version while the file is broken or gone", () => {
    const { path, names } = listOf(tool("a"));
    writeFileSync(path, "[{");
    expect(names()).toEqual(["a"]);
    rmSync(path);
    expect(names()).toEqual(["a"]);
  });

  it("[IPC-39] is outdated when the client has another version", () => {
    const { write, names, list } = listOf(tool("a"));
    write(tool("b"));
    expect(list.isOutdated()).toBe(false);
    names();
    expect(list.isOutdated()).toBe(false);
    write(tool("c"));
    expect(list.isOutdated()).toBe(true);
    names();
    expect(list.isOutdated()).toBe(false);
  });

  it("[IPC-8] cannot be created without a file", () => {
    expect(() => new ToolList(join(tempDir(), "none"))).toThrow(BridgeStartupError);
  });
});

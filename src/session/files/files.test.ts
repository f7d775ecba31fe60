import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { LogIndex } from "./log-index.ts";
import { readMcpConfigs } from "./read-mcp-configs.ts";
import { privateDirectory, userStateDirectory } from "./state-directory.ts";

test("state lives where the XDG rules say", () => {
  expect(userStateDirectory({ XDG_STATE_HOME: "/state", HOME: "/h" })).toBe("/state/switchboard");
  expect(userStateDirectory({ HOME: "/h" })).toBe("/h/.local/state/switchboard");
  expect(userStateDirectory({ XDG_STATE_HOME: "state", HOME: "/h" })).toBe(
    "/h/.local/state/switchboard",
  );
});

test("a state directory is closed to other users, also if it was open", () => {
  const directory = join(tempDir(), "state");
  mkdirSync(directory, { mode: 0o755 });
  privateDirectory(directory);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

test("a directory that cannot be created is named in the error", () => {
  const file = join(tempDir(), "file");
  writeFileSync(file, "");
  for (const path of [join(file, "state"), "/proc/nowhere"]) {
    expect(() => privateDirectory(path)).toThrow(
      expect.objectContaining({ code: "invalid_params", message: expect.stringContaining(path) }),
    );
  }
});

test("LogIndex finds a log by its session, and moves with the session's id", () => {
  const root = tempDir();
  const places = new LogIndex(root);
  expect(places.find("s1")).toBeUndefined();
  const directory = places.create();
  places.assign("s1", directory);
  expect(new LogIndex(root).find("s1")).toBe(directory);
  places.assign("s2", directory);
  places.forget("s1");
  expect([places.find("s1"), places.find("s2")]).toEqual([undefined, directory]);
  expect(places.create()).not.toBe(directory);
});

test("an id cannot point out of the directory", () => {
  const root = tempDir();
  const places = new LogIndex(root);
  places.assign("../../evil", places.create());
  expect(places.find("../../evil")).toMatch(root);
  writeFileSync(join(root, "sessions/bad"), "../../elsewhere\n");
  expect(places.find("bad")).toBeUndefined();
});

test("MCP servers of several files come together, the last one wins", () => {
  const directory = tempDir();
  const file = (name: string, mcpServers: object): string => {
    writeFileSync(join(directory, name), JSON.stringify({ mcpServers }));
    return join(directory, name);
  };
  const one = file("one.json", { a: { command: "a" }, b: { command: "b" } });
  const two = file("two.json", { b: { type: "http", url: "http://127.0.0.1:1/" } });
  const servers = readMcpConfigs([one, two]);
  expect(servers).toEqual({ a: { command: "a" }, b: { type: "http", url: "http://127.0.0.1:1/" } });
});

test.each([
  ["is missing", undefined, "ENOENT"],
  ["is no JSON", "{", "JSON"],
  ["has no servers", "{}", "mcpServers"],
  ["has a server without a command", '{"mcpServers":{"a":{}}}', "command or url"],
])("an MCP config that %s is refused, and the error names it", (_, content, words) => {
  const file = join(tempDir(), "mcp.json");
  if (content !== undefined) writeFileSync(file, content);
  expect(() => readMcpConfigs([file])).toThrow(
    expect.objectContaining({ code: "invalid_params", message: expect.stringContaining(words) }),
  );
  expect(() => readMcpConfigs([file])).toThrow(file);
});

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { project } from "./sapling.ts";

/** Nodes of this machine that are older than ours: whatever a user may start a bin with. */
const oldNodes = (process.env["PATH"] ?? "")
  .split(":")
  .map((directory) => join(directory, "node"))
  .filter((file) => existsSync(file))
  .map((file) => ({
    file,
    version: spawnSync(file, ["--version"], { encoding: "utf8" }).stdout.trim(),
  }))
  .filter(({ version }) => Number(/^v(\d+)\./.exec(version)?.[1]) < 24)
  .map(({ file, version }) => ({ version, node: [file] }));

// On a machine without one, our own Node says that it is old before the bin asks.
const pretending = {
  version: "v20.20.2",
  node: [process.execPath, "--import", join(import.meta.dirname, "fixtures/pretend-node-20.ts")],
};

const bins = ["switchboard", "agent-socket"];
const starts = [pretending, ...oldNodes].flatMap((start) => bins.map((bin) => ({ ...start, bin })));

it.each(starts)("$bin says in one line what $version lacks", ({ node, version, bin }) => {
  const [file, ...args] = [...node, join(project, "bin", `${bin}.js`), "--help"];
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: "utf8" });
  expect(stderr).toMatch(/^[^\n]+\n$/);
  expect(stderr).toContain(`${bin} needs Node 24 or newer; this is ${version}. Install it from `);
  // The package is not on npm: npx would run a package of another author under that name.
  expect(stderr).not.toContain("npx");
  expect([status, stdout]).toEqual([1, ""]);
});

import { execFile, execFileSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

// The packed package, installed for all, in folders in which nothing is installed.

const project = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const prefix = realpathSync(mkdtempSync(join(tmpdir(), "package-walk-")));
let bin: string;

afterAll(() => rmSync(prefix, { recursive: true, force: true }));

/** The packed package with our copies of its dependencies, away from the folders in which it is used. */
beforeAll(() => {
  const modules = join(prefix, "lib/node_modules");
  const installed = join(modules, "agent-switchboard");
  mkdirSync(installed, { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", prefix];
  const quiet = { cwd: project, encoding: "utf8", stdio: "pipe" } as const;
  const [{ filename }] = JSON.parse(execFileSync("npm", pack, quiet)) as [{ filename: string }];
  execFileSync("tar", ["-xzf", join(prefix, filename), "-C", installed, "--strip-components=1"]);
  const manifest = readFileSync(join(project, "package.json"), "utf8");
  for (const name of Object.keys((JSON.parse(manifest) as { dependencies: object }).dependencies)) {
    const link = join(installed, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(project, "node_modules", name), link);
  }
  bin = join(installed, "bin/switchboard.js");
});

const readmeTools = (): string => {
  const readme = readFileSync(join(project, "README.md"), "utf8");
  return /```ts\n(\/\/ my-tools\.ts\n[\s\S]*?)```/.exec(readme)?.[1] ?? "";
};

test.each([
  ["an empty folder", undefined],
  ["a folder of npm init -y", '{ "name": "x", "version": "1.0.0", "type": "commonjs" }'],
  ["a folder of ES modules", '{ "name": "x", "version": "1.0.0", "type": "module" }'],
])("the README's tools are served from %s by the packed package", async (_where, manifest) => {
  const folder = tempDir();
  writeFileSync(join(folder, "my-tools.ts"), readmeTools());
  if (manifest !== undefined) writeFileSync(join(folder, "package.json"), manifest);
  const show =
    "console.log(Object.keys(JSON.parse(fs.readFileSync(process.argv[1])).mcpServers).join())";
  const command = [process.execPath, "-e", show, "{}"];
  const { stdout, stderr } = await run(
    process.execPath,
    [bin, "tools", "./my-tools.ts", "--", ...command],
    { cwd: folder },
  );
  expect([stdout, stderr]).toEqual(["my-tools\n", ""]);
});

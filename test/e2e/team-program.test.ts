import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { execa } from "execa";
import { expect, test } from "vitest";
import { tempDir } from "../support/temp-dir.ts";

const project = resolve(import.meta.dirname, "../..");

test("the program of the page about teams starts a team and prints the lead's answer", async () => {
  const root = tempDir();
  cpSync(join(project, "examples/team-with-tools"), root, { recursive: true });
  mkdirSync(join(root, "node_modules"));
  symlinkSync(project, join(root, "node_modules/agent-switchboard"));
  const page = readFileSync(join(project, "docs/team.md"), "utf8");
  const program = /```ts\n([^]*?)```/.exec(page)?.[1] ?? "";
  writeFileSync(join(root, "program.mts"), program.replace("/tmp/", `${root}/`));
  const { ANTHROPIC_API_KEY: _, CLAUDE_CONFIG_DIR: __, ...env } = process.env;
  const { stdout } = await execa(process.execPath, ["program.mts"], {
    cwd: root,
    env: { ...env, HOME: root, XDG_STATE_HOME: join(root, "xdg") },
    extendEnv: false,
  });
  expect(stdout.split("\n")).toEqual([
    "I did not buy it: Ask me before you buy.",
    expect.stringMatching(/^\[ 'buyer' \] \d+ messages$/),
  ]);
});

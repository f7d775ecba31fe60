import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { locateCli } from "./locate-cli.ts";
import { knownVersion, learnVersion } from "./cli-version.ts";

test("our own CLI's version is known from the Agent SDK, without asking", async () => {
  const ours = locateCli();
  expect(knownVersion(undefined)).toMatch(/^\d+\.\d+\.\d+$/);
  expect(knownVersion(ours)).toBe("");
  await learnVersion(ours);
  expect(knownVersion(ours)).toBe(knownVersion(undefined));
});

test.each([
  ["fails", "echo 9.9.9; exit 3", ""],
  ["says something else", "echo '9.9.9 (Other Code)'", "9.9.9"],
])("a CLI that %s", async (_, script, version) => {
  const cli = join(tempDir(), "claude");
  writeFileSync(cli, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  await learnVersion(cli);
  expect(knownVersion(cli)).toBe(version);
});

test("the version of an updated CLI is unknown until it is asked again", async () => {
  const cli = join(tempDir(), "claude");
  const install = (version: string) => {
    writeFileSync(`${cli}.new`, `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
    renameSync(`${cli}.new`, cli);
  };
  install("9.9.9");
  await learnVersion(cli);
  expect(knownVersion(cli)).toBe("9.9.9");
  install("9.9.10");
  expect(knownVersion(cli)).toBe("");
  await learnVersion(cli);
  expect(knownVersion(cli)).toBe("9.9.10");
});

test("the version of a missing CLI stays unknown", async () => {
  await learnVersion("/nowhere/claude");
  expect(knownVersion("/nowhere/claude")).toBe("");
});

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { claudeConfig } from "./claude-config.ts";
import { isTrusted } from "./trust.ts";

function stage() {
  const root = realpathSync(tempDir());
  const config = claudeConfig({ CLAUDE_CONFIG_DIR: join(root, "config") });
  const project = join(root, "home/project");
  mkdirSync(join(project, "src"), { recursive: true });
  mkdirSync(config.directory);
  const trust = (...directories: string[]): void => {
    const projects = Object.fromEntries(
      directories.map((each) => [each, { hasTrustDialogAccepted: true }]),
    );
    writeFileSync(config.globalFile, JSON.stringify({ projects }));
  };
  return { root, config, project, trust };
}

test("isTrusted is false without a person's trust", () => {
  const { config, project } = stage();
  expect(isTrusted(project, config)).toBe(false);
  writeFileSync(config.globalFile, "{broken");
  expect(isTrusted(project, config)).toBe(false);
  writeFileSync(config.globalFile, JSON.stringify({ projects: { [project]: {} } }));
  expect(isTrusted(project, config)).toBe(false);
});

test("trust in a directory is trust in what is below it", () => {
  const { config, project, trust } = stage();
  trust(project);
  expect(isTrusted(project, config)).toBe(true);
  expect(isTrusted(join(project, "src"), config)).toBe(true);
  expect(isTrusted(join(project, ".."), config)).toBe(false);
});

test("a repository stands for itself", () => {
  const { config, project, trust } = stage();
  mkdirSync(join(project, ".git"));
  trust(join(project, ".."));
  expect(isTrusted(join(project, "src"), config)).toBe(false);
  trust(project);
  expect(isTrusted(join(project, "src"), config)).toBe(true);
});

test("a link to a directory is that directory", () => {
  const { root, config, project, trust } = stage();
  symlinkSync(project, join(root, "link"));
  trust(join(root, "link"));
  expect(isTrusted(join(root, "link"), config)).toBe(false);
  trust(project);
  expect(isTrusted(join(root, "link"), config)).toBe(true);
});

test("without CLAUDE_CONFIG_DIR the files are in the home directory", () => {
  expect(claudeConfig({ HOME: "/h" })).toEqual({
    directory: "/h/.claude",
    globalFile: "/h/.claude.json",
  });
});

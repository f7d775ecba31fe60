import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { claudeConfig } from "../../claude-config/claude-config.ts";
import { modeFromSettings } from "./mode-from-settings.ts";

const write = (file: string, defaultMode: string): void =>
  writeFileSync(file, JSON.stringify({ permissions: { defaultMode } }));

test("the mode comes from the nearest settings that have one; an untrusted project has no say", () => {
  const cwd = tempDir();
  const config = claudeConfig({ CLAUDE_CONFIG_DIR: tempDir() });
  const mode = (trusted: boolean, settings = {}): string =>
    modeFromSettings({ cwd, config, trusted, settings });
  expect(mode(true)).toBe("default");
  write(join(config.directory, "settings.json"), "plan");
  expect(mode(true)).toBe("plan");
  mkdirSync(join(cwd, ".claude"));
  write(join(cwd, ".claude/settings.json"), "bypassPermissions");
  expect([mode(true), mode(false)]).toEqual(["bypassPermissions", "plan"]);
  write(join(cwd, ".claude/settings.local.json"), "acceptEdits");
  expect([mode(true), mode(false)]).toEqual(["acceptEdits", "plan"]);
  expect(mode(false, { permissions: { defaultMode: "dontAsk" } })).toBe("dontAsk");
  write(join(cwd, ".claude/settings.local.json"), "nonsense");
  expect(mode(true)).toBe("bypassPermissions");
});

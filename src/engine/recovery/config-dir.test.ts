import { join } from "node:path";
import { expect, test } from "vitest";
import { claudeConfig } from "../../claude-config/claude-config.ts";
import { configDirOf } from "./recover.ts";

test.each([
  ["/elsewhere", "/elsewhere"],
  ["", join("/users/me", ".claude")],
])(
  "configDirOf reads CLAUDE_CONFIG_DIR=%j as %s, as every other reader does",
  (value, directory) => {
    const env = { HOME: "/users/me", CLAUDE_CONFIG_DIR: value };
    expect(configDirOf(env)).toBe(directory);
    expect(claudeConfig(env).directory).toBe(directory);
  },
);

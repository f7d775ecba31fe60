import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../../../test/support/temp-dir.ts";
import type { JsonObject } from "../../../wire/json.ts";
import { removeFromSettings, settingsFileOf } from "./settings-rules.ts";

const updates = (ruleContent: string): JsonObject[] => [
  {
    type: "addRules",
    rules: [{ toolName: "Bash", ruleContent }, { toolName: "mcp__shop__buy" }],
    behavior: "allow",
    destination: "localSettings",
  },
  { type: "addDirectories", directories: ["/a"], destination: "localSettings" },
];

function settings(content: unknown): string {
  const file = join(tempDir(), "settings.local.json");
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const contentOf = (file: string): unknown => JSON.parse(readFileSync(file, "utf8"));

test.each([
  ["make *", "Bash(make *)"],
  // With the escapes of Claude Code, and without.
  ["f(1)", String.raw`Bash(f\(1\))`],
  ["f(1)", "Bash(f(1))"],
])("removeFromSettings takes out the rule %s, spelled %s, and nothing else", (content, spelled) => {
  const file = settings({
    model: "opus",
    permissions: {
      allow: ["Read", spelled, "mcp__shop__buy"],
      deny: [spelled],
      additionalDirectories: ["/a", "/b"],
    },
  });
  chmodSync(file, 0o640);
  removeFromSettings(file, updates(content));
  expect(contentOf(file)).toEqual({
    model: "opus",
    permissions: { allow: ["Read"], deny: [spelled], additionalDirectories: ["/b"] },
  });
  expect(statSync(file).mode & 0o777).toBe(0o640);
});

test("removeFromSettings changes the file behind a link, and no file that lacks the rule", () => {
  const file = settings({ permissions: { allow: ["Bash(make *)"] } });
  const link = join(tempDir(), "link.json");
  symlinkSync(file, link);
  removeFromSettings(link, updates("make *"));
  expect(contentOf(file)).toEqual({ permissions: { allow: [] } });
  const odd = settings('{ "permissions": {"allow":["Read"]} }');
  removeFromSettings(odd, updates("make *"));
  expect(readFileSync(odd, "utf8")).toBe('{ "permissions": {"allow":["Read"]} }');
  removeFromSettings(join(tempDir(), "none.json"), updates("make *"));
});

test("removeFromSettings says why a file cannot be changed, and leaves it as it is", () => {
  const broken = settings("{ broken");
  expect(() => removeFromSettings(broken, updates("make *"))).toThrow(
    expect.objectContaining({
      code: "execution_failed",
      message: expect.stringContaining(broken),
      hint: expect.stringContaining("send revoke again"),
    }),
  );
  expect(readFileSync(broken, "utf8")).toBe("{ broken");
});

test("settingsFileOf names the file of a lasting permission, by its destination", () => {
  const cwd = tempDir();
  const env = { CLAUDE_CONFIG_DIR: join(cwd, "config") };
  mkdirSync(env.CLAUDE_CONFIG_DIR);
  const fileFor = (destination: string) => settingsFileOf([{ destination }], { cwd, env });
  expect(fileFor("localSettings")).toBe(join(cwd, ".claude/settings.local.json"));
  expect(fileFor("projectSettings")).toBe(join(cwd, ".claude/settings.json"));
  expect(fileFor("userSettings")).toBe(join(cwd, "config/settings.json"));
  expect(fileFor("session")).toBeUndefined();
});

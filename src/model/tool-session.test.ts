import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { ToolSession } from "./tool-session.ts";

/** A CLI that only says its version. */
function cliOf(version: string): string {
  const path = join(tempDir(), "claude");
  writeFileSync(path, `#!/bin/sh\necho "${version} (Claude Code)"\n`, { mode: 0o755 });
  return path;
}

const start = (claudePath: string) =>
  ToolSession.start({
    cwd: tempDir(),
    claudePath,
    decide: async () => ({ allow: true }),
    toolset: { name: "tools", tools: [], transport: "sdk" },
    onEvent: () => {},
    onToolsMissing: () => {},
  });

test("tools over sdk are refused at once for a CLI that cannot see them, with a hint", async () => {
  await expect(start(cliOf("2.1.206"))).rejects.toMatchObject({
    code: "bridge_startup",
    message: "Claude Code 2.1.206 is too old for tools over sdk.",
    hint: expect.stringContaining('transport: "stdio"'),
  });
});

test("a CLI that is too old for any session is refused", async () => {
  await expect(start(cliOf("2.1.205"))).rejects.toMatchObject({ code: "cli_too_old" });
});

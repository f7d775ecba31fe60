import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { isAbsolute, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../test/support/temp-dir.ts";
import { locateCli } from "./locate-cli.ts";

function program(mode: number): string {
  const path = join(tempDir(), "claude");
  writeFileSync(path, "#!/bin/sh\n");
  chmodSync(path, mode);
  return path;
}

describe("locateCli", () => {
  it("returns the file that came with the Agent SDK", () => {
    expect(locateCli()).toMatch(/claude-agent-sdk-[a-z0-9-]+\/claude$/);
  });

  it("returns the requested file", () => {
    const path = program(0o755);
    expect(locateCli(path)).toBe(path);
  });

  it("returns an absolute path, because the session runs in another directory", () => {
    const path = program(0o755);
    const located = locateCli(relative(process.cwd(), path));
    expect(isAbsolute(located)).toBe(true);
    expect(located).toBe(path);
  });

  it.each<[string, () => string]>([
    ["is not there", () => join(tempDir(), "claude")],
    ["may not be run", () => program(0o644)],
    [
      "is a directory",
      () => {
        const path = join(tempDir(), "claude");
        mkdirSync(path);
        return path;
      },
    ],
  ])("refuses a file that %s, and names it", (_name, make) => {
    const path = make();
    expect(() => locateCli(path)).toThrow(
      expect.objectContaining({
        code: "cli_not_found",
        message: `There is no executable Claude Code CLI at ${path}.`,
      }),
    );
  });
});

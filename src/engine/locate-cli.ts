import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { findCommand } from "../proc/find-command.ts";
import { errorOf } from "../wire/errors.ts";

/**
 * The file of the Claude Code CLI: the one that was asked for, else the one that came with the Agent
 * SDK. A missing file is told here, because the SDK's own words for it are misleading.
 */
export function locateCli(claudePath?: string): string {
  const file = claudePath ?? bundledCli();
  if (file === undefined) {
    throw errorOf(
      "cli_not_found",
      `The Agent SDK brings no Claude Code CLI for ${process.platform} on ${process.arch}.`,
    );
  }
  const path = resolve(file);
  if (findCommand(path, "") === undefined) {
    throw errorOf("cli_not_found", `There is no Claude Code CLI that can be run at ${path}.`, {
      data: { path },
    });
  }
  return path;
}

/** The version of the CLI that comes with the Agent SDK, as the SDK says; "" if it does not. */
export function bundledVersion(): string {
  const manifest = join(dirname(sdkEntry()), "package.json");
  const { claudeCodeVersion = "" } = JSON.parse(readFileSync(manifest, "utf8")) as {
    claudeCodeVersion?: string;
  };
  return claudeCodeVersion;
}

const sdkEntry = (): string =>
  createRequire(import.meta.url).resolve("@anthropic-ai/claude-agent-sdk");

/** The SDK installs one binary package for this machine: with glibc, or with musl. */
function bundledCli(): string | undefined {
  const require = createRequire(sdkEntry());
  for (const suffix of ["", "-musl"]) {
    try {
      const name = `@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}${suffix}`;
      return join(dirname(require.resolve(`${name}/package.json`)), "claude");
    } catch {
      continue;
    }
  }
  return undefined;
}

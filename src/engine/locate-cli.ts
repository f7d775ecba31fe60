import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { findCommand } from "../proc/find-command.ts";
import { errorOf } from "../wire/errors.ts";

/**
 * The path of the Claude Code CLI: the requested one, or the one that came with the Agent SDK. Reports a missing file
 * here, because the SDK's own message is misleading.
 */
export function locateCli(claudePath?: string): string {
  const file = claudePath ?? bundledCli();
  if (file === undefined) {
    throw errorOf(
      "cli_not_found",
      `The Agent SDK has no Claude Code CLI for ${process.platform} on ${process.arch}.`,
    );
  }
  const path = resolve(file);
  if (findCommand(path, "") === undefined) {
    throw errorOf("cli_not_found", `There is no executable Claude Code CLI at ${path}.`, {
      data: { path },
    });
  }
  return path;
}

/** The version of the CLI that comes with the Agent SDK, according to the SDK; "" if unknown. */
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

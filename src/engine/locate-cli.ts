import { accessSync, constants, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { errorOf } from "../wire/errors.ts";

/**
 * The file of the Claude Code CLI: the one that was asked for, else the one that came with the Agent
 * SDK. A missing file is told here, because the SDK's own words for it are misleading.
 */
export function locateCli(claudePath?: string): string {
  const path = claudePath ?? bundledCli();
  if (path === undefined) {
    throw errorOf(
      "cli_not_found",
      `The Agent SDK brings no Claude Code CLI for ${process.platform} on ${process.arch}.`,
    );
  }
  try {
    accessSync(path, constants.X_OK);
  } catch (cause) {
    throw errorOf("cli_not_found", `There is no Claude Code CLI that can be run at ${path}.`, {
      cause,
    });
  }
  return path;
}

/** The SDK installs one binary package for this machine: with glibc, or with musl. */
function bundledCli(): string | undefined {
  const require = createRequire(
    createRequire(import.meta.url).resolve("@anthropic-ai/claude-agent-sdk"),
  );
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

/** The CLI blames a library of the system when it is started in a directory that is not there. */
export function requireDirectory(cwd: string): void {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw errorOf("cwd_not_found", `The working directory ${cwd} does not exist.`);
  }
}

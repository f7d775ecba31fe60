import { errorOf } from "../wire/errors.ts";
import type { CliSupport } from "./cli-support.ts";
import { cliSupport, OLDEST_CLI } from "./cli-support.ts";
import { locateCli } from "./locate-cli.ts";
import { knownVersion } from "./cli-version.ts";

/**
 * The CLI for a session, and what is known of its version. Call `learnVersion` first for a CLI that is not ours;
 * otherwise its version is unknown.
 *
 * @throws `cli_not_found`, `cli_too_old`.
 */
export function usableCli(claudePath?: string): { path: string; support: CliSupport } {
  const path = locateCli(claudePath);
  const support = cliSupport(knownVersion(claudePath));
  if (support.kind === "too_old") {
    throw errorOf(
      "cli_too_old",
      `Claude Code ${support.version} at ${path} is too old: ${OLDEST_CLI} is the oldest that works.`,
      { data: { path, cli_version: support.version, oldest: OLDEST_CLI } },
    );
  }
  return { path, support };
}

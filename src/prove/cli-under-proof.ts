import type { CliSupport } from "../engine/cli-support.ts";
import { learnVersion, usableCli } from "../engine/cli.ts";
import { errorOf } from "../wire/errors.ts";

export interface CliUnderProof {
  readonly path: string;
  /** As the CLI reports it: `2.1.326`. */
  readonly version: string;
  /** What this package knows of the version without a proof. */
  readonly kind: CliSupport["kind"];
  /** What sessions lack on this version, one sentence each. */
  readonly off: readonly string[];
}

/**
 * The named CLI, or the one that came with the Agent SDK.
 *
 * @throws `cli_not_found` when there is none, or when it does not report its version; `cli_too_old`.
 */
export async function findCliUnderProof(claudePath: string | undefined): Promise<CliUnderProof> {
  await learnVersion(claudePath);
  const { path, support } = usableCli(claudePath);
  const { version, kind, off } = support;
  if (kind !== "unknown") return { path, version, kind, off };
  throw errorOf(
    "cli_not_found",
    `${path} --version prints no version, so it is not a Claude Code CLI.`,
    {
      data: { path },
      hint: "Name the file of a Claude Code CLI that runs on this machine with --claude-path.",
    },
  );
}

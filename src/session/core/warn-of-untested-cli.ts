import { cliSupport, provenVersions } from "../../engine/cli-support.ts";
import type { NoticeCode } from "../../wire/session/notices.ts";

/** The notices with which a session on an unproven CLI begins. */
export function untestedCli(version: string) {
  const { kind, off } = cliSupport(version);
  if (kind === "proven" || kind === "too_old") return [];
  const code: NoticeCode = "cli_untested";
  const what =
    kind === "unknown"
      ? "Claude Code does not report its version, so it is unknown whether it is proven"
      : `Claude Code ${version} is not proven`;
  return [
    {
      code,
      message: `${what}. Proven: ${provenVersions}.`,
      hint: "Prove it with 'switchboard prove --claude-path FILE', or leave --claude-path out.",
      data: { ...(kind === "untested" && { cli_version: version }), off },
    },
  ];
}

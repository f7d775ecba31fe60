import { resolve } from "node:path";
import { childEnvironment } from "../../proc/environment.ts";
import { runToEnd } from "../../proc/run-to-end.ts";
import { bundledVersion, locateCli } from "../locate-cli.ts";

const VERSION_MS = 10_000;

/** The file of a CLI does not change under a session; asking it takes a tenth of a second. */
const versions = new Map<string, string>();

/** Of the CLI that a session was told to run, or else of ours. One that was not asked before is unknown: "". */
export function knownVersion(claudePath: string | undefined): string {
  return claudePath === undefined ? bundledVersion() : (versions.get(resolve(claudePath)) ?? "");
}

/**
 * Asks a CLI that is not ours for its version: `2.1.325 (Claude Code)` → `2.1.325`. Never rejects: one that
 * does not say stays unknown.
 */
export async function learnVersion(claudePath: string | undefined): Promise<void> {
  if (claudePath === undefined || versions.has(resolve(claudePath))) return;
  try {
    const command = locateCli(claudePath);
    const { ok, out } = await runToEnd({
      command,
      args: ["--version"],
      env: childEnvironment(),
      timeoutMs: VERSION_MS,
    });
    if (ok) versions.set(command, out.trim().split(" ")[0] ?? "");
  } catch {
    // There is none to ask, and the start of the session says so.
  }
}

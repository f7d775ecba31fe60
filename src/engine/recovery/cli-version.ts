import { statSync } from "node:fs";
import { resolve } from "node:path";
import { childEnvironment } from "../../proc/environment.ts";
import { runToEnd } from "../../proc/run-to-end.ts";
import { bundledVersion, locateCli } from "../locate-cli.ts";

const VERSION_MS = 10_000;

/** Asking takes a tenth of a second. An update puts another file there, so what a file looked like goes along. */
const versions = new Map<string, { version: string; look: string }>();

/**
 * Of the CLI that a session was told to run, or else of ours. One that was not asked before, or is another
 * file since, is unknown: "".
 */
export function knownVersion(claudePath: string | undefined): string {
  return claudePath === undefined ? bundledVersion() : (remembered(resolve(claudePath)) ?? "");
}

function remembered(path: string): string | undefined {
  const known = versions.get(path);
  return known !== undefined && known.look === lookOf(path) ? known.version : undefined;
}

/** Undefined when it cannot be looked at, which is never what it was when it was asked. */
function lookOf(path: string): string | undefined {
  try {
    const { mtimeNs, size } = statSync(path, { bigint: true });
    return `${mtimeNs} ${size}`;
  } catch {
    return undefined;
  }
}

/**
 * Asks a CLI that is not ours for its version: `2.1.325 (Claude Code)` → `2.1.325`. Never rejects: one that
 * does not say stays unknown.
 */
export async function learnVersion(claudePath: string | undefined): Promise<void> {
  if (claudePath === undefined || knownVersion(claudePath) !== "") return;
  try {
    const command = locateCli(claudePath);
    // Before it is asked: if it is updated meanwhile, the answer counts for nothing.
    const look = lookOf(command);
    const { ok, out } = await runToEnd({
      command,
      args: ["--version"],
      env: childEnvironment(),
      timeoutMs: VERSION_MS,
    });
    if (ok && look !== undefined)
      versions.set(command, { version: out.trim().split(" ")[0] ?? "", look });
  } catch {
    // There is none to ask, and the start of the session says so.
  }
}

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { childEnvironment } from "../proc/child-environment.ts";
import { runToEnd } from "../proc/run-to-end.ts";
import { bundledVersion, locateCli } from "./locate-cli.ts";

const VERSION_MS = 10_000;

/** Asking takes a tenth of a second. An update replaces the file, so the file's stat is kept with the version. */
const versions = new Map<string, { version: string; look: string }>();

/** The version of the requested CLI, or of ours. "" if it was not asked before, or if its file has changed since. */
export function knownVersion(claudePath: string | undefined): string {
  return claudePath === undefined ? bundledVersion() : (remembered(resolve(claudePath)) ?? "");
}

function remembered(path: string): string | undefined {
  const known = versions.get(path);
  return known !== undefined && known.look === lookOf(path) ? known.version : undefined;
}

/** Returns undefined when the file cannot be read, which never equals an earlier state. */
function lookOf(path: string): string | undefined {
  try {
    const { mtimeNs, size } = statSync(path, { bigint: true });
    return `${mtimeNs} ${size}`;
  } catch {
    return undefined;
  }
}

/**
 * Asks a CLI that is not ours for its version: `2.1.325 (Claude Code)` → `2.1.325`. Never rejects: the version of a
 * CLI that does not answer stays unknown.
 */
export async function learnVersion(claudePath: string | undefined): Promise<void> {
  if (claudePath === undefined || knownVersion(claudePath) !== "") return;
  try {
    const command = locateCli(claudePath);
    // Taken before the question: if the file is updated meanwhile, the answer does not count.
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
    // There is no CLI to ask; the start of the session reports it.
  }
}

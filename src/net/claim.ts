import { createHash } from "node:crypto";
import { linkSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { inUse, orInvalid } from "./place-errors.ts";
import { probeSocket } from "./probe.ts";
import { systemCode } from "./system-error.ts";

/** The name on which all agree who want to serve `path`; short, because it must be a socket path too. */
export function claimOf(path: string): string {
  const digest = createHash("sha256").update(basename(path)).digest("hex");
  return join(dirname(path), `.sb-${digest.slice(0, 8)}`);
}

/**
 * Gains the sole right to change what is at `path`, by a link to a socket that listens already. A link
 * never replaces a file, so one process at a time has the claim; and since it is a live socket, a probe
 * tells when its holder has died.
 */
export async function takeClaim(path: string, boundSocket: string): Promise<void> {
  const claim = claimOf(path);
  while (!orInvalid(path, () => tryLink(boundSocket, claim))) {
    const { state } = await probeSocket(claim);
    if (state === "dead") orInvalid(path, () => rmSync(claim, { force: true }));
    else if (state !== "absent") throw inUse(path, `another process is starting there (${claim})`);
  }
}

/** False when the name is taken. */
export function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

import { createHash } from "node:crypto";
import { linkSync, lstatSync, rmSync } from "node:fs";
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
 * tells when its holder has died. Errors name `wanted`.
 */
export async function takeClaim(path: string, boundSocket: string, wanted = path): Promise<void> {
  const claim = claimOf(path);
  while (!orInvalid(wanted, () => tryLink(boundSocket, claim))) {
    // Before the probe: if the file is another one by then, nothing is done to it.
    const seen = orInvalid(wanted, () => identityOf(claim));
    const { state } = await probeSocket(claim);
    if (state === "dead") await removeDead({ claim, seen, boundSocket, wanted });
    else if (state !== "absent") {
      throw inUse(wanted, `another process is starting there (${claim})`);
    }
  }
}

interface DeadClaim {
  claim: string;
  seen: string | undefined;
  boundSocket: string;
  wanted: string;
}

/**
 * Others may have seen the same dead claim, and one of them may have its own there by now. So this file,
 * and no later one of its name, is claimed in its turn, and only the holder of that claim removes it.
 */
async function removeDead({ claim, seen, boundSocket, wanted }: DeadClaim): Promise<void> {
  const thisFile = `${claim}:${seen}`;
  await takeClaim(thisFile, boundSocket, wanted);
  try {
    orInvalid(wanted, () => identityOf(claim) === seen && rmSync(claim, { force: true }));
  } finally {
    rmSync(claimOf(thisFile), { force: true });
  }
}

/** The system may give the inode again to a later file, but not with the same time. */
function identityOf(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}:${stats.ino}:${stats.ctimeNs}`;
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

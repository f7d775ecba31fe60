import { createHash } from "node:crypto";
import { linkSync, lstatSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { inUse, orInvalid } from "./socket-errors.ts";
import { probeSocket } from "../probe-socket.ts";
import { systemCode } from "../../files/system-error-code.ts";

/**
 * The name of the claim, on which all processes that want to serve `path` agree; short, because it must be a socket
 * path too.
 */
export function claimOf(path: string): string {
  const digest = createHash("sha256").update(basename(path)).digest("hex");
  return join(dirname(path), `.sb-${digest.slice(0, 8)}`);
}

/**
 * Gains the exclusive right to change what is at `path`, by a link to a socket that already listens. A link never
 * replaces a file, so one process at a time has the claim; and since it is a live socket, a probe shows when its
 * holder has died. Errors name `wanted`.
 */
export async function takeClaim(path: string, boundSocket: string, wanted = path): Promise<void> {
  const claim = claimOf(path);
  while (!orInvalid(wanted, () => tryLink(boundSocket, claim))) {
    // Before the probe: if the file has changed by then, it is left alone.
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
 * Other processes may have seen the same dead claim, and one of them may have put its own there by now. So this file,
 * and no later one of its name, is claimed in turn, and only the holder of that claim removes it.
 */
async function removeDead({ claim, seen, boundSocket, wanted }: DeadClaim): Promise<void> {
  const thisFile = `${claim}:${seen}`;
  await takeClaim(thisFile, boundSocket, wanted);
  try {
    orInvalid(wanted, () => identityOf(claim) === seen && removeClaim(claim));
  } finally {
    rmSync(claimOf(thisFile), { force: true });
  }
}

/** In a shared directory another user's file cannot be removed: the error names its owner. */
function removeClaim(claim: string): void {
  const owner = lstatSync(claim, { throwIfNoEntry: false })?.uid;
  try {
    rmSync(claim, { force: true });
  } catch (cause) {
    if (owner === undefined || owner === process.geteuid?.()) throw cause;
    throw new Error(`the file ${claim} belongs to another user (uid ${owner}) and is in the way`, {
      cause,
    });
  }
}

/** The system may reuse the inode for a later file, but not with the same time. */
function identityOf(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}:${stats.ino}:${stats.ctimeNs}`;
}

/** Returns false when the name is taken. */
export function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") return false;
    throw error;
  }
}

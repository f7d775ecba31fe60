import { lstatSync, mkdtempSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import type { Server } from "node:net";
import { dirname, join } from "node:path";
import { claimOf, takeClaim, tryLink } from "./claim.ts";
import { inUse, notASocket, orInvalid, tooDeep } from "./place-errors.ts";
import type { Place } from "./place.ts";
import { bindPrivately } from "./place.ts";
import { probeSocket } from "./probe.ts";
import { reachesLongPaths } from "./short-name.ts";
import { checkSocketPath, fitsSocketPath } from "./socket-path.ts";
import { LOBBY_PREFIX, LOBBY_SOCKET, sweepLobbies } from "./sweep-lobbies.ts";
import { reasonOf } from "./system-error.ts";

/**
 * A socket at a path that somebody chose, perhaps in a directory that all may write to. It is bound in
 * the *lobby*, a private directory beside the path, and closed to others before anybody can see it.
 * Then it moves to the path under the protection of the claim.
 */
export function fixedPlace(path: string): Place {
  checkSocketPath(path);
  const claim = claimOf(path);
  // The lobby's socket is no longer than the claim.
  if (!reachesLongPaths && !fitsSocketPath(claim)) throw tooDeep(path, claim);

  const lobby = orInvalid(path, () => mkdtempSync(join(dirname(path), LOBBY_PREFIX)));
  const boundSocket = join(lobby, LOBBY_SOCKET);
  let inode: string | undefined;

  return {
    path,
    async occupy(server: Server) {
      await bindPrivately(server, boundSocket);
      inode = inodeOf(boundSocket);
      await takeClaim(path, boundSocket);
      await moveIn(path, boundSocket);
      if (!isOurs(path)) throw inUse(path, "another process took it at the same time");
      removeAllBut(path);
      await sweepLobbies(dirname(path));
    },
    vacate: () => removeAllBut(undefined),
  };

  function removeAllBut(kept: string | undefined): void {
    for (const file of [path, claim]) {
      if (file !== kept) quietly(() => isOurs(file) && unlinkSync(file));
    }
    quietly(() => unlinkSync(boundSocket));
    quietly(() => rmdirSync(lobby));
  }

  /** While we listen, the system gives our inode to no other file, so it tells ours from a newer one. */
  function isOurs(file: string): boolean {
    return inode !== undefined && inodeOf(file) === inode;
  }
}

/** To be called by the holder of the claim, so that nobody else who keeps to it changes the path. */
async function moveIn(path: string, boundSocket: string): Promise<void> {
  const probe = await probeSocket(path);
  switch (probe.state) {
    case "absent":
      if (orInvalid(path, () => tryLink(boundSocket, path))) return;
      throw inUse(path, "another process took it at the same time");
    case "dead":
      // One step: the path is never empty, and the claim is given up when it is no longer needed.
      return orInvalid(path, () => renameSync(claimOf(path), path));
    case "alive":
      throw inUse(path, "a process answers there");
    case "unclear":
      throw inUse(path, `it may be alive (${reasonOf(probe.cause)})`, probe.cause);
    case "not_a_socket":
      throw notASocket(path);
  }
}

function inodeOf(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false, bigint: true });
  return stats && `${stats.dev}:${stats.ino}`;
}

/** What cannot be removed is private, or a dead socket that whoever starts here next replaces. */
function quietly(remove: () => void): void {
  try {
    remove();
  } catch {
    // Gone already, or not to be helped.
  }
}

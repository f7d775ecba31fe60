import { lstatSync, mkdtempSync, renameSync, rmdirSync, unlinkSync } from "node:fs";
import type { Server } from "node:net";
import { dirname, join } from "node:path";
import { claimOf, takeClaim, tryLink } from "./claim-path.ts";
import { inUse, notASocket, orInvalid, tooDeep } from "./socket-errors.ts";
import type { SocketSite } from "./socket-site.ts";
import { bindPrivately } from "./socket-site.ts";
import { probeSocket } from "../probe-socket.ts";
import { checkSocketDirectory } from "./own-directory.ts";
import { reachesLongPaths } from "./short-path.ts";
import { checkSocketPath, fitsSocketPath } from "./socket-path.ts";
import { LOBBY_PREFIX, LOBBY_SOCKET, sweepLobbies } from "./sweep-lobbies.ts";
import { reasonOf } from "../../files/system-error-code.ts";

/**
 * A socket at a chosen path, perhaps in a directory that all may write to. It is bound in the *lobby*, a private
 * directory beside the path, and closed to others before it is visible. Then it moves to the path under the
 * protection of the claim.
 */
export function socketAtPath(path: string): SocketSite {
  checkSocketPath(path);
  const claim = claimOf(path);
  // The lobby's socket is no longer than the claim.
  if (!reachesLongPaths && !fitsSocketPath(claim)) throw tooDeep(path, claim);

  orInvalid(path, () => checkSocketDirectory(dirname(path)));
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

  /** While we listen, the system gives our inode to no other file, so it distinguishes ours from a newer one. */
  function isOurs(file: string): boolean {
    return inode !== undefined && inodeOf(file) === inode;
  }
}

/** Only the holder of the claim calls this, so that no other process changes the path. */
async function moveIn(path: string, boundSocket: string): Promise<void> {
  const probe = await probeSocket(path);
  switch (probe.state) {
    case "absent":
      if (orInvalid(path, () => tryLink(boundSocket, path))) return;
      throw inUse(path, "another process took it at the same time");
    case "dead":
      // One step: the path is never empty, and the claim is released when it is no longer needed.
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

/** What cannot be removed is private, or a dead socket that the next listener replaces. */
function quietly(remove: () => void): void {
  try {
    remove();
  } catch {
    // Gone already, or not removable.
  }
}

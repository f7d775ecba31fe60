import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { probeSocket } from "../probe-socket.ts";

/** Prefix of a new lobby beside the wanted path; the system chooses the rest. */
export const LOBBY_PREFIX = ".sb-";
/** In the lobby. */
export const LOBBY_SOCKET = "s";

/** A process that is about to bind or listen has done so long before. */
const BINDS_WITHIN_MS = 250;
/** An empty lobby may also be one that is just being left. */
const EMPTY_FOR_MS = 60_000;

/** Removes the lobbies of killed processes. Never throws, and leaves those of the living alone. */
export async function sweepLobbies(directory: string): Promise<void> {
  for (const lobby of lobbiesIn(directory)) {
    const socket = join(lobby, LOBBY_SOCKET);
    const { state } = await probeSocket(socket);
    const isLeft =
      (state === "dead" && ageMs(socket) > BINDS_WITHIN_MS) ||
      (state === "absent" && ageMs(lobby) > EMPTY_FOR_MS);
    if (isLeft) remove(lobby, socket);
  }
}

function lobbiesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name.startsWith(LOBBY_PREFIX))
      .map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}

/** A file that is gone has no age. */
function ageMs(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? 0 : Date.now() - stats.mtimeMs;
}

function remove(lobby: string, socket: string): void {
  try {
    unlinkSync(socket);
  } catch {
    // Another process has done it, or there is none.
  }
  try {
    rmdirSync(lobby);
  } catch {
    // The same; or it contains more than we put there.
  }
}

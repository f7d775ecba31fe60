import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { judgeServer, pinnedVersion } from "./server-version.ts";

export interface FoundServer {
  readonly file: string;
  readonly version: string;
}

/** Where a downloaded or built server is kept, for all working copies of this user. */
export const cachedServer = (): string =>
  join(
    process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"),
    "agent-switchboard",
    `nats-server-${pinnedVersion}`,
    "nats-server",
  );

/**
 * The server that this machine has: of `$NATS_SERVER`, else of PATH, else of the cache. `tell` gets a line about each one that
 * cannot be used.
 *
 * @throws when `$NATS_SERVER` names something else: it was chosen, so no other server may take its place.
 */
export function findServer(tell: (line: string) => void): FoundServer | undefined {
  const chosen = process.env["NATS_SERVER"];
  if (chosen) {
    const judged = judgeServer(chosen);
    if ("problem" in judged) throw new Error(`$NATS_SERVER: ${judged.problem}.`);
    return { file: chosen, ...judged };
  }
  for (const file of [...onPath(), cachedServer()].filter(isExecutable)) {
    const judged = judgeServer(file);
    if ("version" in judged) return { file, ...judged };
    tell(`${judged.problem}.`);
  }
  return undefined;
}

const onPath = (): string[] =>
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .filter((directory) => directory !== "")
    .map((directory) => join(directory, "nats-server"));

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

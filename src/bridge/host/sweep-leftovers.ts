import { lstatSync, readdirSync, rmdirSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { probeSocket } from "../../net/probe-socket.ts";
import { MCP_CONFIG_NAME, schemaName, socketName } from "./bridge-file-names.ts";

/** How `listen` names the private directories of its sockets. */
const PRIVATE_DIRECTORY = /^switchboard-\w{6}$/;
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** A socket that is just being created refuses connections too, and its directory is still empty. */
const NEWBORN_MS = 5_000;

export interface SweepOptions {
  /** Where private directories may be; with a long temp directory `listen` uses /tmp. */
  readonly bases?: readonly string[];
  readonly newbornMs?: number;
}

/**
 * Removes what hosts left that died without cleaning up: sockets that are certainly dead, their schema files and
 * configs, and empty private directories. Living, doubtful and foreign files stay. Never rejects: a file that cannot
 * be removed is left to the next sweep.
 */
export async function sweepLeftovers(options: SweepOptions = {}): Promise<void> {
  const { bases = [tmpdir(), "/tmp"], newbornMs = NEWBORN_MS } = options;
  const directories = [...new Set(bases)].flatMap(privateDirectoriesIn);
  await Promise.all(directories.map((directory) => sweepDirectory(directory, newbornMs)));
}

async function sweepDirectory(directory: string, newbornMs: number): Promise<void> {
  const isNewborn = (path: string): boolean => Date.now() - changedAt(path) < newbornMs;
  let isLeftover = !isNewborn(directory);
  for (const file of filesIn(directory)) {
    const id = UUID.exec(file)?.[0] ?? "";
    const socket = join(directory, file);
    if (file !== socketName(id) || isNewborn(socket)) continue;
    if ((await probeSocket(socket)).state !== "dead") continue;
    removeFilesOf(directory, id);
    isLeftover = true;
  }
  // The system refuses while anything is left in it.
  if (isLeftover) quietly(() => rmdirSync(directory));
}

/** The socket last: while it exists, the next sweep finds what this one could not remove. */
function removeFilesOf(directory: string, id: string): void {
  const schemas = filesIn(directory).filter((file) => file.startsWith(schemaName(id)));
  for (const file of [...schemas, MCP_CONFIG_NAME, socketName(id)])
    quietly(() => unlinkSync(join(directory, file)));
}

function privateDirectoriesIn(base: string): string[] {
  return filesIn(base)
    .filter((name) => PRIVATE_DIRECTORY.test(name))
    .map((name) => join(base, name))
    .filter(isOwnDirectory);
}

function isOwnDirectory(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() === true && stats.uid === process.getuid?.();
}

/**
 * In whole milliseconds, like the clock. A file that has vanished counts as just changed: another process is at work.
 */
function changedAt(path: string): number {
  return Math.floor(lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

function filesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function quietly(remove: () => void): void {
  try {
    remove();
  } catch {
    // Gone already, not empty, or not removable.
  }
}

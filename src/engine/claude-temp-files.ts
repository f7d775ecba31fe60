import { lstatSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";
import { isRunning } from "../proc/process-identity.ts";

type Variables = Readonly<Record<string, string>>;

// The CLI's temporary files are undocumented: a file that is not where we expect it is ignored.

/** This user's temporary directory of the CLI: a folder per project, and in it one per session. */
export function taskHome({ CLAUDE_CODE_TMPDIR, TMPDIR }: Variables): string {
  return join(CLAUDE_CODE_TMPDIR ?? TMPDIR ?? "/tmp", `claude-${userId()}`);
}

/**
 * Removes the socket on which a CLI takes messages of other sessions. The CLI removes it itself unless it is killed.
 *
 * @returns false when a process with that pid runs: the CLI, or another one that may own a socket of that name.
 */
export function removeSocketOf(pid: number, environment: Variables): boolean {
  if (isRunning(pid)) return false;
  const { XDG_RUNTIME_DIR, CLAUDE_CODE_TMPDIR, TMPDIR } = environment;
  for (const parent of new Set([XDG_RUNTIME_DIR, CLAUDE_CODE_TMPDIR, TMPDIR, "/tmp"])) {
    if (!parent) continue;
    for (const name of ["cc-socks", `cc-socks-${userId()}`]) {
      const path = join(parent, name, `${pid}.sock`);
      if (isOwnFolder(join(parent, name)) && ownAt(path)?.isSocket())
        attempt(() => unlinkSync(path));
    }
  }
  return true;
}

/** Removes the temporary files of a session's tools: mainly the output of commands. */
export function removeFilesOf(sessionId: string, environment: Variables): void {
  if (!/^[\da-f-]{36}$/.test(sessionId)) return;
  const home = taskHome(environment);
  // Checks each level, so that another user's link cannot lead out of it.
  if (!isOwnFolder(home)) return;
  for (const project of attempt(() => readdirSync(home)) ?? []) {
    const folder = join(home, project, sessionId);
    if (!isOwnFolder(join(home, project)) || !isOwnFolder(folder)) continue;
    attempt(() => rmSync(folder, { recursive: true, force: true }));
  }
}

const userId = (): number => process.getuid?.() ?? 0;

const isOwnFolder = (path: string): boolean => ownAt(path)?.isDirectory() === true;

/** The entry itself, not the target of a link; undefined if it belongs to another user. */
function ownAt(path: string): Stats | undefined {
  const stat = attempt(() => lstatSync(path));
  return stat?.uid === userId() ? stat : undefined;
}

/** The file is missing, not ours, or was removed meanwhile: not a failure. */
function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

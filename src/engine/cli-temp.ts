import { lstatSync, readdirSync, rmSync, unlinkSync } from "node:fs";
import type { Stats } from "node:fs";
import { join } from "node:path";

type Variables = Readonly<Record<string, string>>;

// Where the CLI keeps temporary files is not documented: what is not found there is not missed.

/** The directory of this user's, as the CLI finds it, with a folder for each project and in it for each session. */
export function taskHome({ CLAUDE_CODE_TMPDIR, TMPDIR }: Variables): string {
  return join(CLAUDE_CODE_TMPDIR ?? TMPDIR ?? "/tmp", `claude-${userId()}`);
}

/** The socket that a CLI takes messages of other sessions on. It removes it itself, unless it is killed. */
export function removeSocketOf(pid: number, environment: Variables): void {
  // Another process has the number by now, and perhaps a socket of that name.
  if (isAlive(pid)) return;
  const { XDG_RUNTIME_DIR, CLAUDE_CODE_TMPDIR, TMPDIR } = environment;
  for (const parent of new Set([XDG_RUNTIME_DIR, CLAUDE_CODE_TMPDIR, TMPDIR, "/tmp"])) {
    if (!parent) continue;
    for (const name of ["cc-socks", `cc-socks-${userId()}`]) {
      const path = join(parent, name, `${pid}.sock`);
      if (isOwnFolder(join(parent, name)) && ownAt(path)?.isSocket())
        attempt(() => unlinkSync(path));
    }
  }
}

/** What the tools of a session wrote beside their work: the output of commands above all. */
export function removeFilesOf(sessionId: string, environment: Variables): void {
  if (!/^[\da-f-]{36}$/.test(sessionId)) return;
  const home = taskHome(environment);
  // Each level, so that no link of somebody else's leads out of it.
  if (!isOwnFolder(home)) return;
  for (const project of attempt(() => readdirSync(home)) ?? []) {
    const folder = join(home, project, sessionId);
    if (!isOwnFolder(join(home, project)) || !isOwnFolder(folder)) continue;
    attempt(() => rmSync(folder, { recursive: true, force: true }));
  }
}

const userId = (): number => process.getuid?.() ?? 0;

const isOwnFolder = (path: string): boolean => ownAt(path)?.isDirectory() === true;

/** What is there itself, not what a link points to; nothing if it is somebody else's. */
function ownAt(path: string): Stats | undefined {
  const stat = attempt(() => lstatSync(path));
  return stat?.uid === userId() ? stat : undefined;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Not there, not ours to see, or somebody was faster: no reason to fail for. */
function attempt<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

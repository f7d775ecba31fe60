import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { removeSocketOf } from "../../engine/cli.ts";

/** In the log's directory: the pid of the CLI that a host started last. */
const FILE = "cli-pid";

/** Records the CLI's pid, so that a later host can remove what the CLI leaves behind when it is killed. */
export function recordCliPid(directory: string, pid: number): void {
  try {
    writeFileSync(join(directory, FILE), `${pid}\n`, { mode: 0o600 });
  } catch {
    // Then an unused socket may remain in the temporary directory.
  }
}

/** A CLI ends a little later than its killed host. */
const LOOK_AGAIN_MS = 500;
const LOOKS = 20;

/** Removes the socket that the recorded CLI left behind, as soon as its process is gone. */
export function removeSocketOfLastCli(directory: string, env: Record<string, string>): void {
  const pid = Number(readNote(directory));
  if (!Number.isSafeInteger(pid) || pid <= 0) return;
  const { TMPDIR = "", XDG_RUNTIME_DIR = "", CLAUDE_CODE_TMPDIR } = { ...process.env, ...env };
  const places = { TMPDIR, XDG_RUNTIME_DIR, ...(CLAUDE_CODE_TMPDIR && { CLAUDE_CODE_TMPDIR }) };
  removeOnceGone(pid, places, LOOKS);
}

function removeOnceGone(pid: number, places: Record<string, string>, looks: number): void {
  if (removeSocketOf(pid, places) || looks === 1) return;
  setTimeout(() => removeOnceGone(pid, places, looks - 1), LOOK_AGAIN_MS).unref();
}

function readNote(directory: string): string {
  try {
    return readFileSync(join(directory, FILE), "utf8");
  } catch {
    return "";
  }
}

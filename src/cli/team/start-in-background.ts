import { closeSync, existsSync, openSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Child } from "../../proc/start-child.ts";
import { startChild } from "../../proc/start-child.ts";
import { connectTeam, controlSocket } from "../../team/find-and-connect.ts";
import { oneConnection } from "./find-team.ts";
import { startWarnings } from "./start-warnings.ts";
import type { TeamInit } from "../../wire/team/control-methods.ts";

// The same from src/ and from dist/.
const program = fileURLToPath(new URL("../../../bin/switchboard.js", import.meta.url));

const POLL_MS = 50;

/** A team that takes commands, and what it has warned of while it started. */
interface Served {
  readonly init: TeamInit;
  readonly warnings: readonly string[];
}

/** How a start in the background went. */
export type BackgroundStart =
  | (Served & { readonly kind: "running"; readonly log: string })
  /** The start was refused; the output of the process. */
  | { readonly kind: "failed"; readonly code: number; readonly said: string }
  | { readonly kind: "interrupted"; readonly by: string };

/**
 * Starts a team in a process that outlives us and our terminal. Resolves when the team takes commands.
 *
 * @param args of `switchboard up`, without those for the background.
 * @param interrupted with the name of a signal: cancels the start, unless only the terminal is gone.
 */
export async function startInBackground(
  stateDir: string,
  args: readonly string[],
  interrupted: Promise<string>,
): Promise<BackgroundStart> {
  const log = join(stateDir, "up.log");
  if (existsSync(log)) renameSync(log, `${log}.1`);
  const child = startWithLog(log, args);
  const ready = untilServed(stateDir, child);
  const outcome = await Promise.race([ready, interrupted.then((by) => ({ by }))]);
  if ("init" in outcome) return { kind: "running", ...outcome, log };
  if ("code" in outcome)
    return { kind: "failed", code: outcome.code, said: readFileSync(log, "utf8") };
  if (outcome.by !== "SIGHUP") await endChild(child);
  return { kind: "interrupted", by: outcome.by };
}

function startWithLog(log: string, args: readonly string[]): Child {
  const out = openSync(log, "w", 0o600);
  try {
    return startChild({
      command: process.execPath,
      args: [program, "up", ...args],
      env: process.env,
      linger: true,
      stdio: ["ignore", out, out],
    });
  } finally {
    closeSync(out);
  }
}

/** The team, or the exit code of a process that ended first. */
async function untilServed(stateDir: string, child: Child): Promise<Served | { code: number }> {
  for (;;) {
    if (hasEnded(child)) return { code: child.process.exitCode ?? 1 };
    try {
      await using team = await connectTeam(controlSocket(stateDir), oneConnection);
      // Another process may have been first; ours then ends by itself, and says so.
      if (team.init.pid === child.pid) {
        return { init: team.init, warnings: await startWarnings(team) };
      }
    } catch {
      // Not there yet.
    }
    await delay(POLL_MS);
  }
}

async function endChild(child: Child): Promise<void> {
  child.process.kill("SIGTERM");
  while (!hasEnded(child)) await delay(POLL_MS);
}

const hasEnded = ({ process: { exitCode, signalCode } }: Child): boolean =>
  exitCode !== null || signalCode !== null;

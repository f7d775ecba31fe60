import { closeSync, existsSync, openSync, readFileSync, realpathSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { argumentsOf, flagValue } from "../../../proc/process-arguments.ts";
import type { Child } from "../../../proc/start-child.ts";
import { startChild } from "../../../proc/start-child.ts";
import { sweepOrphans } from "../../../proc/sweep-processes.ts";
import { isAlive, pidOf, processId } from "../../../proc/process-identity.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { ClaudeCodeError } from "../../../wire/errors.ts";
import type { AgentPaths } from "./agent-paths.ts";

/** The process of an agent. It may have been started by a process of the team before this one. */
export interface AgentProcess {
  readonly pid: number;
  /** Unique for as long as the machine runs. */
  readonly id: string;
  /** Resolves with true when it was killed, so that it could not clean up. */
  readonly exited: Promise<boolean>;
  isAlive(): boolean;
  signal(signal: NodeJS.Signals): void;
}

/** The mark of a run on this machine. */
export type LocalMark = {
  readonly process?: string;
  /** Of the policy that the run was started with. */
  readonly policy?: string;
};

/** It lives on when we are killed, for its linger time. */
export function startAgentProcess(
  paths: AgentPaths,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): AgentProcess {
  const log = openSync(paths.log, "a", 0o600);
  try {
    const child: Child = startChild({
      command: process.execPath,
      args,
      cwd,
      env,
      linger: true,
      stdio: ["ignore", log, log],
    });
    return adopt(
      child.pid,
      child.exited.then(({ signal }) => signal === "SIGKILL"),
    );
  } finally {
    closeSync(log);
  }
}

/**
 * A process that an earlier process of the team has started for these paths; undefined when it is gone. The record
 * may be a copy of another team's, whose agents are not ours to end.
 */
export function findAgentProcess(
  { process: id }: LocalMark,
  { state }: Pick<AgentPaths, "state">,
): AgentProcess | undefined {
  const pid = pidOf(id ?? "");
  if (id === undefined || pid === undefined || processId(pid) !== id) return undefined;
  return worksOn(pid, state) ? adopt(pid, untilGone(id)) : undefined;
}

/**
 * Whether its command line names this directory. One that names a directory that is gone was left behind when the
 * state was moved.
 */
function worksOn(pid: number, state: string): boolean {
  const named = flagValue(argumentsOf(pid), "--state-dir");
  return named !== undefined && (!existsSync(named) || realPath(named) === realPath(state));
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function adopt(pid: number, exited: Promise<boolean>): AgentProcess {
  const id = processId(pid);
  let wasKilled = false;
  return {
    pid,
    id,
    exited: exited.then((killed) => killed || wasKilled),
    isAlive: () => isAlive(id),
    signal(signal) {
      try {
        // Another process may have the pid by now.
        if (isAlive(id)) process.kill(pid, signal);
        wasKilled ||= signal === "SIGKILL";
      } catch {
        // It has just ended.
      }
    },
  };
}

const POLL_MS = 100;

/** How a process ended is known only to the process that started it. */
async function untilGone(id: string): Promise<false> {
  while (isAlive(id)) await delay(POLL_MS, undefined, { ref: false });
  return false;
}

/**
 * Stage after stage, each bounded. Resolves when the process is gone: with true when it had to be killed, and
 * so could clear nothing away.
 */
export async function endAgentProcess(agent: AgentProcess, askedMs: number): Promise<boolean> {
  const gone = (ms: number): Promise<boolean> =>
    Promise.race([agent.exited.then(() => true), delay(ms, false, { ref: false })]);
  if (!agent.isAlive() || (await gone(askedMs))) return false;
  agent.signal("SIGTERM");
  if (await gone(3000)) return false;
  agent.signal("SIGKILL");
  await gone(3000);
  return true;
}

/** Kills it with all that it has started. Resolves with true when that is gone. */
export async function killAgentProcess(agent: AgentProcess): Promise<boolean> {
  agent.signal("SIGKILL");
  await agent.exited;
  await sweepAfterKill();
  return true;
}

const SWEEP_MS = 5000;

/**
 * Ends what killed agents have left running, or waits until their watchdogs have. Bounded: on a slow machine the
 * watchdogs finish after this has returned.
 */
export const sweepAfterKill = (): Promise<unknown> =>
  Promise.race([sweepOrphans().catch(() => {}), delay(SWEEP_MS, undefined, { ref: false })]);

const TAIL_CHARS = 2000;

/** Why a process ended before it was ready, in its own words. */
export function explainExit(paths: AgentPaths): ClaudeCodeError {
  let tail = "";
  try {
    tail = readFileSync(paths.log, "utf8").slice(-TAIL_CHARS).trim();
  } catch {
    // It has printed nothing.
  }
  const last = tail.split("\n").slice(-3).join(" ");
  return errorOf("start_failed", `The agent's process ended: ${last || "it said nothing"}`, {
    data: { log: paths.log },
    hint: `Its log is ${paths.log}.`,
  });
}

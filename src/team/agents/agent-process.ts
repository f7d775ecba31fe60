import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Child } from "../../proc/start-child.ts";
import { startChild } from "../../proc/start-child.ts";
import { sweepOrphans } from "../../proc/sweep.ts";
import { processId } from "../../proc/tree-mark.ts";
import { errorOf } from "../../wire/errors.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { AgentPlace } from "./agent-place.ts";

/** The process of an agent. It may have been started by a process of the team before this one. */
export interface AgentProcess {
  readonly pid: number;
  /** Unique for as long as the machine runs. */
  readonly id: string;
  readonly exited: Promise<void>;
  isAlive(): boolean;
  signal(signal: NodeJS.Signals): void;
}

/** It lives on when we are killed, for its linger time. */
export function startAgentProcess(
  place: AgentPlace,
  args: readonly string[],
  cwd: string,
  env: Record<string, string>,
): AgentProcess {
  const log = openSync(place.log, "a", 0o600);
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
      child.exited.then(() => undefined),
    );
  } finally {
    closeSync(log);
  }
}

/** A process that another one of ours has started; undefined when it is gone. */
export function findAgentProcess(id: string | undefined): AgentProcess | undefined {
  const pid = Number(id?.split("-")[0]);
  if (id === undefined || !Number.isInteger(pid) || processId(pid) !== id) return undefined;
  return adopt(pid, untilGone(pid, id));
}

function adopt(pid: number, exited: Promise<void>): AgentProcess {
  const id = processId(pid);
  const isAlive = (): boolean => processId(pid) === id && !isZombie(pid);
  return {
    pid,
    id,
    exited,
    isAlive,
    signal(signal) {
      try {
        // The number may be another's by now.
        if (isAlive()) process.kill(pid, signal);
      } catch {
        // It has just ended.
      }
    },
  };
}

const POLL_MS = 100;

async function untilGone(pid: number, id: string): Promise<void> {
  while (processId(pid) === id && !isZombie(pid)) await delay(POLL_MS, undefined, { ref: false });
}

function isZombie(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    return false;
  }
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

const SWEEP_MS = 5000;

/**
 * Ends what killed agents have left running, or waits until their watchdogs have. Bounded: on a machine that
 * takes longer, those end it after us.
 */
export const sweepAfterKill = (): Promise<unknown> =>
  Promise.race([sweepOrphans().catch(() => {}), delay(SWEEP_MS, undefined, { ref: false })]);

const TAIL_CHARS = 2000;

/** Why a process ended before it was ready, in its own words. */
export function explainExit(place: AgentPlace): ClaudeCodeError {
  let tail = "";
  try {
    tail = readFileSync(place.log, "utf8").slice(-TAIL_CHARS).trim();
  } catch {
    // It has said nothing.
  }
  const last = tail.split("\n").slice(-3).join(" ");
  return errorOf("start_failed", `The agent's process ended: ${last || "it said nothing"}`, {
    data: { log: place.log },
    hint: `Its log is ${place.log}.`,
  });
}

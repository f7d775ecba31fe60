import type { ChildProcess } from "node:child_process";
import { settlesWithin, withDeadline } from "../time/time-limit.ts";
import { errorOf } from "../wire/errors.ts";

export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface StopOptions {
  /** Asks the child to end by itself; by default its input is ended. If it fails, the next stage follows. */
  ask?: () => unknown;
  /** How long the child has after it was asked. */
  askMs?: number;
  /** How long its group has after SIGTERM, before SIGKILL. */
  termMs?: number;
  /** How long the search for what the child left behind may take, once it has ended. */
  sweepMs?: number;
}

export interface StopReport {
  /** What ended the child; "ended" if it had ended before. */
  stage: "ended" | "ask" | "term" | "kill";
  exit: ChildExit;
  /** How many processes it left behind that had to be killed. */
  swept: number;
}

interface Stoppable {
  process: ChildProcess;
  exited: Promise<ChildExit>;
  /** Ends what the child left behind, once it has ended. */
  sweepRest: () => Promise<number>;
}

const killMs = 5_000;
const defaultSweepMs = 20_000;

/**
 * One stage after the other until the child has ended, then the sweep of what it left behind. Rejects with `timeout`
 * when the last stage or the sweep takes too long.
 */
export async function stopInStages(child: Stoppable, options: StopOptions): Promise<StopReport> {
  const { sweepMs = defaultSweepMs } = options;
  const stage = await endInStages(child, options);
  const exit = await child.exited;
  const swept = await withDeadline(child.sweepRest(), sweepMs, () =>
    errorOf(
      "timeout",
      `The search for what process ${child.process.pid} left behind took longer than ${sweepMs} ms`,
      {
        hint: "Check with 'ps' whether processes are waiting for a disk or a network file system.",
      },
    ),
  );
  return { stage, exit, swept };
}

async function endInStages(child: Stoppable, options: StopOptions): Promise<StopReport["stage"]> {
  const { process, exited } = child;
  const { ask = () => process.stdin?.end(), askMs = 2_000, termMs = 2_000 } = options;
  if (process.exitCode !== null || process.signalCode !== null) return "ended";
  attempt(ask);
  if (await settlesWithin(exited, askMs)) return "ask";
  signalGroup(process, "SIGTERM");
  if (await settlesWithin(exited, termMs)) return "term";
  signalGroup(process, "SIGKILL");
  if (await settlesWithin(exited, killMs)) return "kill";
  throw errorOf("timeout", `Process ${process.pid} is still alive ${killMs} ms after SIGKILL`, {
    hint: "Check with 'ps' whether it is waiting for a disk or a network file system.",
  });
}

/** Asks. A request that fails, at once or later, changes nothing: the next stage follows. */
function attempt(ask: () => unknown): void {
  new Promise((resolve) => resolve(ask())).catch(() => {});
}

/** Until its exit was reported to us, the child's pid is its own, and it leads the group of that number. */
function signalGroup(process: ChildProcess, signal: NodeJS.Signals): void {
  if (process.pid === undefined) return;
  try {
    globalThis.process.kill(-process.pid, signal);
  } catch {
    // It has ended meanwhile, and its group is empty.
  }
}

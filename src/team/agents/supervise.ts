import { setTimeout as delay } from "node:timers/promises";
import type { RetryPolicy } from "../../wire/timing.ts";
import { defaultRetryPolicy } from "../../wire/timing.ts";
import type { LifeEnd } from "./agent.ts";

export interface Supervised {
  live(): Promise<LifeEnd>;
  enter(state: "restarting" | "quarantined", reason: string): void;
}

export interface Supervision {
  /** An agent that was ready for less than this had a failed start. */
  readonly stableMs: number;
  /** So many failed starts in a row are too many. */
  readonly failedStarts: number;
  readonly policy?: RetryPolicy;
  readonly signal: AbortSignal;
  /** How the time between two lives passes; ends early with the signal. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const pauseFor = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal, ref: false }).catch(() => {});

/**
 * Keeps an agent alive: another life after each that was lost, ever later when it fails to start.
 * Resolves with the reason when it has to be left alone, with nothing when it was stopped.
 */
export async function supervise(
  agent: Supervised,
  { stableMs, failedStarts, policy = defaultRetryPolicy, signal, pause = pauseFor }: Supervision,
): Promise<string | undefined> {
  let failures = 0;
  while (!signal.aborted) {
    const end = await agent.live();
    if (signal.aborted || end.how === "stopped") return undefined;
    if (end.how === "hibernated") {
      failures = 0;
      continue;
    }
    failures = end.readyMs >= stableMs ? 0 : failures + 1;
    if (failures >= failedStarts) {
      agent.enter("quarantined", end.why);
      return end.why;
    }
    agent.enter("restarting", end.why);
    await pause(backOff(failures, policy), signal);
  }
  return undefined;
}

const JITTER = 0.2;

/** After so many failures in a row; jitter keeps a whole team from coming back in one instant. */
function backOff(failures: number, { firstDelayMs, maxDelayMs, factor }: RetryPolicy): number {
  const plainMs = Math.min(firstDelayMs * factor ** Math.max(0, failures - 1), maxDelayMs);
  return plainMs * (1 - JITTER + 2 * JITTER * Math.random());
}

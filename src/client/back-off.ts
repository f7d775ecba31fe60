import type { RetryPolicy } from "../wire/timing.ts";

/** A session's host may be restarted at any time, so its clients try for ever, soon at first. */
export const reconnectPolicy: RetryPolicy = {
  tries: Number.POSITIVE_INFINITY,
  firstDelayMs: 100,
  maxDelayMs: 10_000,
  factor: 2,
};

const JITTER = 0.3;

/** The wait before the next try, after so many failed ones: many clients must not come at the same instant. */
export function delayAfter(failures: number, policy: RetryPolicy): number {
  const delay = policy.firstDelayMs * policy.factor ** Math.max(failures - 1, 0);
  return Math.min(delay, policy.maxDelayMs) * (1 + Math.random() * JITTER);
}

/** Resolves after the time, or at once when the signal is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(finish, ms);
    function finish(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    }
    signal.addEventListener("abort", finish);
  });
}

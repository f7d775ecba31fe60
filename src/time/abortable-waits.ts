import type { Timers } from "./clock.ts";
import { systemClock } from "./clock.ts";

/** Resolves after the time, or as soon as the signal is aborted. It never rejects. */
export function pause(
  ms: number,
  signal?: AbortSignal,
  timers: Timers = systemClock,
): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = timers.after(ms, finish);
    signal?.addEventListener("abort", finish);
  });
}

/** Resolves when the signal is aborted. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Settles as `work` does. When the signal is aborted first, it rejects with the signal's reason; `work` goes on unheard. */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort);
  if (signal.aborted) abort();
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

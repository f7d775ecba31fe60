import type { Timers } from "./clock.ts";
import { systemClock } from "./clock.ts";

/** Resolves with true when `work` settles in time, also when it rejects; with false when the time is over. */
export async function settlesWithin(
  work: Promise<unknown>,
  withinMs: number,
  timers: Timers = systemClock,
): Promise<boolean> {
  const settled = work.then(
    () => true,
    () => true,
  );
  return await raceTimer(settled, withinMs, timers, (late) => late.resolve(false));
}

/** Settles as `work` does. When that takes longer than `withinMs`, it rejects with the error that `late` makes. */
export async function withDeadline<Result>(
  work: Promise<Result>,
  withinMs: number,
  late: () => Error,
  timers: Timers = systemClock,
): Promise<Result> {
  return await raceTimer(work, withinMs, timers, ({ reject }) => reject(late()));
}

async function raceTimer<Result>(
  work: Promise<Result>,
  withinMs: number,
  timers: Timers,
  onLate: (late: PromiseWithResolvers<Result>) => void,
): Promise<Result> {
  const late = Promise.withResolvers<Result>();
  const cancel = timers.after(withinMs, () => onLate(late));
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    cancel();
  }
}

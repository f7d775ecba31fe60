/** Time that passes while the machine is awake. Tests put their own in its place. */
export interface Timers {
  /** Runs it once after so long; the function given back calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

export const realTimers: Timers = {
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/** True when it settles in time, however it does. */
export async function settlesWithin(
  timers: Timers,
  promise: Promise<unknown>,
  withinMs: number,
): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const cancel = timers.after(withinMs, () => late.resolve(false));
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late.promise]);
  } finally {
    cancel();
  }
}

/** Time that passes while the machine is awake. Tests put their own in its place. */
export interface Timers {
  /** Runs it once after so long; the function given back calls it off. */
  after(delayMs: number, run: () => void): () => void;
}

/** The longest that the system waits; what is longer it would run at once. */
const MAX_TIMER_MS = 2_147_483_647;

export const realTimers: Timers = {
  after: (delayMs, run) => {
    let timer: NodeJS.Timeout;
    const wait = (leftMs: number): void => {
      const next = (): void => (leftMs > MAX_TIMER_MS ? wait(leftMs - MAX_TIMER_MS) : run());
      timer = setTimeout(next, Math.min(leftMs, MAX_TIMER_MS));
    };
    wait(delayMs);
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

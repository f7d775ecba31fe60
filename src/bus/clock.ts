/** Time as a bus sees it. Injected, so that tests own it. */
export interface Clock {
  /** Milliseconds since 1970, as people set it. */
  wallMs(): number;
  /** Milliseconds since some moment; never set, never back. */
  steadyMs(): number;
  /** Calls back once, after so long by the steady clock. Gives back how to cancel. */
  after(delayMs: number, call: () => void): () => void;
}

/** The longest delay that a timer takes. */
const MAX_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
  after(delayMs, call) {
    const timer = setTimeout(call, Math.min(Math.max(Math.ceil(delayMs), 0), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};

/**
 * The wall clock of this moment, continued by the steady one: a clock that somebody sets while a bus
 * is open changes no lease, no delay and no time to live.
 */
export function startTime(clock: Clock): () => number {
  const offsetMs = clock.wallMs() - clock.steadyMs();
  return () => Math.round(clock.steadyMs() + offsetMs);
}

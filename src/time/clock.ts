/** Calls back later. Injected, so that tests decide when time passes. */
export interface Timers {
  /** Calls back once after the delay, however long it is. Returns a function that cancels the call. */
  after(delayMs: number, call: () => void): () => void;
}

export interface Clock extends Timers {
  /** Milliseconds since 1970. A person may set this clock at any time. */
  wallMs(): number;
  /** Milliseconds since some moment. This clock cannot be set, and never goes back. */
  steadyMs(): number;
}

/** The longest delay that the system's timers accept: 24 days. A longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

function startTimer(delayMs: number, call: () => void, keepsProcessAlive: boolean): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const wait = (leftMs: number): void => {
    const next = (): void => (leftMs > MAX_TIMER_MS ? wait(leftMs - MAX_TIMER_MS) : call());
    timer = setTimeout(next, Math.min(Math.max(Math.ceil(leftMs), 0), MAX_TIMER_MS));
    // In a browser a timer is a number.
    if (!keepsProcessAlive && typeof timer === "object") timer.unref();
  };
  wait(delayMs);
  return () => clearTimeout(timer);
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  steadyMs: () => performance.now(),
  after: (delayMs, call) => startTimer(delayMs, call, true),
};

/** The same clock, but a process may end while its timers are still waiting. */
export const backgroundClock: Clock = {
  ...systemClock,
  after: (delayMs, call) => startTimer(delayMs, call, false),
};

/**
 * Milliseconds since 1970, read from the wall clock once and continued by the steady one. When a person sets the wall
 * clock later, times that were computed from this function stay right.
 */
export function startTime(clock: Clock): () => number {
  const offsetMs = clock.wallMs() - clock.steadyMs();
  return () => Math.round(clock.steadyMs() + offsetMs);
}

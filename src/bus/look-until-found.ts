import type { WaitOptions } from "./bus.ts";
import type { Clock } from "../time/clock.ts";

export interface WaitLook<Found> {
  found?: Found;
  /** After what time to look again though no bell rings. */
  againInMs?: (() => number) | undefined;
}

/** Registers a callback; returns an unsubscribe function. */
export type Listen = (call: () => void) => () => void;

export interface WaitContext {
  clock: Clock;
  /** Ends the wait as a signal does. */
  onEnd: Listen;
}

/**
 * Looks, and looks again at each ring, until something is found; returns undefined when the wait ended first. A ring
 * during a look is not lost: it causes the next one.
 */
export async function waitFor<Found>(
  look: () => Promise<WaitLook<Found>>,
  listen: Listen,
  { clock, onEnd, signal, waitMs = Infinity }: WaitOptions & WaitContext,
): Promise<Found | undefined> {
  let rung = false;
  let over = false;
  let wake: (() => void) | undefined;
  const ring = (): void => {
    rung = true;
    wake?.();
  };
  const end = (): void => {
    over = true;
    wake?.();
  };
  const silence = listen(ring);
  const forgetEnd = onEnd(end);
  const stopTimer = Number.isFinite(waitMs) && waitMs > 0 ? clock.after(waitMs, end) : undefined;
  signal?.addEventListener("abort", end);
  over = (signal?.aborted ?? false) || waitMs <= 0;
  try {
    if (signal?.aborted) return undefined;
    for (;;) {
      rung = false;
      const { found, againInMs } = await look();
      if (found !== undefined) return found;
      if (over) return undefined;
      if (rung) continue;
      const stopAgain = againInMs && clock.after(againInMs(), ring);
      await new Promise<void>((resolve) => (wake = resolve));
      wake = undefined;
      stopAgain?.();
      if (over && !rung) return undefined;
    }
  } finally {
    silence();
    forgetEnd();
    stopTimer?.();
    signal?.removeEventListener("abort", end);
  }
}

import type { Timers } from "./clock.ts";
import { systemClock } from "./clock.ts";

/**
 * Looks again and again, each time `everyMs` after the last look has ended, so that two looks never overlap. A look that
 * fails is told to `onError`, and the next one comes all the same. Returns a function that stops it.
 */
export function poll(
  everyMs: number,
  look: () => Promise<void>,
  onError: (error: unknown) => void,
  timers: Timers = systemClock,
): () => void {
  let stopped = false;
  let cancel: () => void;
  const lookOnce = async (): Promise<void> => {
    try {
      await look();
    } catch (error) {
      onError(error);
    } finally {
      if (!stopped) wait();
    }
  };
  const wait = (): void => {
    cancel = timers.after(everyMs, () => void lookOnce());
  };
  wait();
  return () => {
    stopped = true;
    cancel();
  };
}

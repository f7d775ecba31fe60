import { useEffect, useState } from "preact/hooks";

const BUSY_MS = 1000;
const IDLE_MS = 60_000;

/** The time of the axis. It goes on every second while something runs, every minute when nothing does, and in no replay. */
export function useNow(read: () => number, isBusy: boolean, isReplay: boolean): number {
  const [, tick] = useState(0);
  useEffect(() => {
    if (isReplay) return undefined;
    const timer = setInterval(
      () => {
        if (!document.hidden) tick((count) => count + 1);
      },
      isBusy ? BUSY_MS : IDLE_MS,
    );
    return () => clearInterval(timer);
  }, [isBusy, isReplay]);
  const now = read();
  // In steps, so that a frame without news does not draw all bars again.
  return isReplay ? now : Math.ceil(now / BUSY_MS) * BUSY_MS;
}

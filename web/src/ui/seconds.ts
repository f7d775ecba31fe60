import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";

const SECOND_MS = 1000;

/** The page's own clock, once a second. It never jumps, as the time of day may. */
const now = signal(performance.now());
let users = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The time of the page's own clock. The component is drawn again every second; without such components nothing ticks. */
export function useSeconds(): number {
  useEffect(() => {
    users += 1;
    now.value = performance.now();
    timer ??= setInterval(() => (now.value = performance.now()), SECOND_MS);
    return () => {
      users -= 1;
      if (users > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  void now.value;
  return performance.now();
}

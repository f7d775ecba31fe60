/** Node's timers wait no longer: 24 days. */
const LONGEST_MS = 2 ** 31 - 1;

/** Calls back when the time is over; 0 is never. It keeps no program alive. */
export function startDeadline(ms: number, onOver: () => void): NodeJS.Timeout | undefined {
  if (ms <= 0) return undefined;
  return setTimeout(onOver, Math.min(ms, LONGEST_MS)).unref();
}

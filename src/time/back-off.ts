/** How the waits between tries grow. */
export interface BackOff {
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** Each wait is this many times as long as the one before it. */
  readonly factor: number;
}

/** The factors between which each wait is multiplied by chance, so that many do not come back in one instant. */
export interface Jitter {
  readonly from: number;
  readonly to: number;
}

/** The wait before the next try, after this many failures in a row. Jitter may make it longer than `maxDelayMs`. */
export function backOffMs(
  failures: number,
  { firstDelayMs, maxDelayMs, factor }: BackOff,
  { from, to }: Jitter = { from: 1, to: 1 },
): number {
  const delayMs = Math.min(firstDelayMs * factor ** Math.max(failures - 1, 0), maxDelayMs);
  return delayMs * (from + (to - from) * Math.random());
}

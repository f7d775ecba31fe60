/** How long each kind of step may take before it counts as failed. */
export const timeouts = {
  /** From the start of a process until it is ready. */
  startMs: 30_000,
  /** Until a message has been handed over. */
  sendMs: 10_000,
  /** Until an answer has come. */
  receiveMs: 60_000,
  /** A task without any sign of life. */
  taskMs: 300_000,
  /** An agent that nobody talks to. */
  idleMs: 120_000,
} as const;

/** When to try again after a failed connection or start. */
export interface RetryPolicy {
  /** All of them, the first included. */
  readonly tries: number;
  /** The wait after the first try, before any jitter. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** By how much each wait is longer than the one before it. */
  readonly factor: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  tries: 5,
  firstDelayMs: 1_000,
  maxDelayMs: 60_000,
  factor: 2,
};

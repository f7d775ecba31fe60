/** How long each kind of step may take before it counts as failed. */
export const timeouts = {
  /** From the start of a process until it is ready. */
  startMs: 30_000,
  /** Until a message was delivered. */
  sendMs: 10_000,
  /** Until an answer has come. */
  receiveMs: 60_000,
  /** A task without any sign of life. */
  taskMs: 300_000,
  /** An agent without messages. */
  idleMs: 120_000,
} as const;

/** When to try again after a failed connection or start. */
export interface RetryPolicy {
  /** Including the first. */
  readonly tries: number;
  /** The wait after the first try, before any jitter. */
  readonly firstDelayMs: number;
  readonly maxDelayMs: number;
  /** The ratio of each wait to the one before. */
  readonly factor: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  tries: 5,
  firstDelayMs: 1_000,
  maxDelayMs: 60_000,
  factor: 2,
};

import type { Jitter } from "../time/back-off.ts";
import type { RetryPolicy } from "../wire/timeouts.ts";

/** A server may be restarted at any time, so clients retry for ever, at short intervals first. */
export const reconnectPolicy: RetryPolicy = {
  tries: Number.POSITIVE_INFINITY,
  firstDelayMs: 100,
  maxDelayMs: 10_000,
  factor: 2,
};

/** Many clients that lost the same host must not come back in one instant. */
export const reconnectJitter: Jitter = { from: 1, to: 1.3 };

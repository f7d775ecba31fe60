// How a call waits for a host that is away.

/** How long a call waits by default. */
export const DEFAULT_PATIENCE_MS = 30_000;

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 1_000;
/** How often a waiting call sends a sign of life. */
const SIGN_MS = 5_000;

/** When to try again: soon at first, later once a second. */
export const retryAfterMs = (waitedMs: number): number =>
  Math.min(LAST_RETRY_MS, Math.max(FIRST_RETRY_MS, waitedMs / 20));

/** Whether a sign of life is due. */
export const isSignDue = (sinceLastMs: number): boolean => sinceLastMs >= SIGN_MS;

/** Reads the bridge's fourth argument. Undefined when it is not a time. */
export function readPatience(argument: string | undefined): number | undefined {
  if (argument === undefined) return DEFAULT_PATIENCE_MS;
  return /^\d{1,10}$/.test(argument) ? Number(argument) : undefined;
}

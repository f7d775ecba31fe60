import type { Socket } from "node:net";
import pRetry from "p-retry";
import { errorOf } from "../wire/errors.ts";
import type { RetryPolicy } from "../wire/timing.ts";
import { defaultRetryPolicy } from "../wire/timing.ts";
import { connect } from "./connect.ts";
import { checkSocketPath } from "./socket-path.ts";
import { reasonOf, systemCode } from "./system-error.ts";

export interface DialOptions {
  /** For each try. */
  readonly timeoutMs?: number;
  /** Jitter makes each wait up to twice as long as the policy says. */
  readonly policy?: RetryPolicy;
  /** Ends the dialling at any moment, also between two tries. */
  readonly signal?: AbortSignal;
}

/** The server may be about to start, to restart, or to catch up. Everything else needs a person. */
const TRANSIENT_CODES = new Set(["ENOENT", "ECONNREFUSED", "EAGAIN", "ETIMEDOUT"]);

/**
 * Connects to a Unix socket, trying again while the server may still come up.
 *
 * @throws `connection_failed` with path, number of tries and last cause; `socket_path_invalid` when the
 * path is no path or too long; the signal's reason when it was aborted.
 */
export async function dial(path: string, options: DialOptions = {}): Promise<Socket> {
  const { timeoutMs = 10_000, policy = defaultRetryPolicy, signal } = options;
  checkSocketPath(path);
  let tries = 0;
  let socket: Socket | undefined;
  const attempt = async (): Promise<Socket> => {
    tries += 1;
    socket = await connect(path, timeoutMs, signal);
    return socket;
  };
  try {
    return await pRetry(attempt, {
      retries: policy.tries - 1,
      minTimeout: policy.firstDelayMs,
      maxTimeout: policy.maxDelayMs,
      factor: policy.factor,
      randomize: true,
      shouldRetry: ({ error }) => TRANSIENT_CODES.has(systemCode(error) ?? ""),
      signal,
    });
  } catch (cause) {
    // The abort may have come after the last try had succeeded.
    socket?.destroy();
    signal?.throwIfAborted();
    throw connectionFailed(path, tries, cause);
  }
}

function connectionFailed(path: string, tries: number, cause: unknown): Error {
  const count = tries === 1 ? "1 try" : `${tries} tries`;
  const message = `No connection to ${path} after ${count}: ${reasonOf(cause)}.`;
  return errorOf("connection_failed", message, { data: { path, tries }, cause });
}

import type { Socket } from "node:net";
import pRetry from "p-retry";
import { ClaudeCodeError, errorOf } from "../wire/errors.ts";
import type { RetryPolicy } from "../wire/timeouts.ts";
import { defaultRetryPolicy } from "../wire/timeouts.ts";
import { connectOwnSocket } from "./socket-file/connect-own-socket.ts";
import { checkSocketPath } from "./socket-file/socket-path.ts";
import { reasonOf, systemCode } from "../files/system-error-code.ts";

export interface DialOptions {
  /** For each try. */
  readonly timeoutMs?: number;
  /** Jitter makes each wait up to twice as long as the policy says. */
  readonly policy?: RetryPolicy;
  /** Cancels at any moment, also between two tries. */
  readonly signal?: AbortSignal;
}

/** The server may be about to start, to restart, or to catch up. Everything else needs a person. */
const TRANSIENT_CODES = new Set(["ENOENT", "ECONNREFUSED", "EAGAIN", "ETIMEDOUT"]);

/**
 * Connects to a Unix socket, retrying while the server may still come up.
 *
 * @throws `connection_failed` with path, number of tries and last cause; `socket_path_invalid` when the path is
 * invalid or too long; `unsafe_place` when the socket is another user's; the signal's reason when it was aborted.
 */
export async function dial(path: string, options: DialOptions = {}): Promise<Socket> {
  const { timeoutMs = 10_000, policy = defaultRetryPolicy, signal } = options;
  checkSocketPath(path);
  let tries = 0;
  let socket: Socket | undefined;
  const attempt = async (): Promise<Socket> => {
    tries += 1;
    socket = await connectOwnSocket(path, timeoutMs, signal);
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
    // The abort may have come after the last try succeeded.
    socket?.destroy();
    signal?.throwIfAborted();
    if (cause instanceof ClaudeCodeError) throw cause;
    throw connectionFailed(path, tries, cause);
  }
}

function connectionFailed(path: string, tries: number, cause: unknown): Error {
  const count = tries === 1 ? "1 try" : `${tries} tries`;
  const message = `Could not connect to ${path} after ${count}: ${reasonOf(cause)}.`;
  return errorOf("connection_failed", message, { data: { path, tries }, cause });
}

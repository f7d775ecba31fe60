import { channel } from "../net/channel.ts";
import { jsonLines } from "../net/codec.ts";
import { dial } from "../net/connect-with-retries.ts";
import { parseSessionMessage } from "../wire/session/answers.ts";
import type { RetryPolicy } from "../wire/timeouts.ts";
import { SessionClient } from "./session-client.ts";
import type { ClientOptions } from "./session-connection.ts";
import type { Transport } from "./transport.ts";

export interface ConnectOptions extends ClientOptions {
  /** For the first connection: the session may be about to start. By default five tries in about two seconds. */
  readonly firstPolicy?: RetryPolicy;
  /** Cancels the first connection, also while the session does not answer. */
  readonly signal?: AbortSignal;
}

const soon: RetryPolicy = { tries: 5, firstDelayMs: 100, maxDelayMs: 1_000, factor: 2 };

/**
 * Connects to a session's socket and attaches.
 *
 * @throws as `dial` does when there is no connection; `timeout` when the host does not answer; the signal's reason.
 */
export function connectSession(path: string, options: ConnectOptions = {}): Promise<SessionClient> {
  const { firstPolicy = soon, signal: giveUp, ...others } = options;
  let isFirst = true;
  const connect = async (signal: AbortSignal): Promise<Transport> => {
    // After the first connection, the client itself decides when to try again.
    const policy = isFirst ? firstPolicy : { ...soon, tries: 1 };
    const socket = await dial(path, { policy, signal });
    isFirst = false;
    return channel(socket, jsonLines);
  };
  return SessionClient.open(connect, { check: parseSessionMessage, ...others }, giveUp);
}

import { channel } from "../net/channel.ts";
import { jsonLines } from "../net/codec.ts";
import { dial } from "../net/dial.ts";
import type { RetryPolicy } from "../wire/timing.ts";
import { defaultRetryPolicy } from "../wire/timing.ts";
import { SessionClient } from "./session-client.ts";
import type { ClientOptions } from "./session-connection.ts";
import type { Transport } from "./transport.ts";

export interface ConnectOptions extends ClientOptions {
  /** For the first connection: the session may be about to start. Five tries by default. */
  readonly firstPolicy?: RetryPolicy;
  /** Ends the tries of the first connection. */
  readonly signal?: AbortSignal;
}

/**
 * Connects to a session's socket and attaches.
 *
 * @throws as `dial` does when there is no connection; the signal's reason.
 */
export function connectSession(path: string, options: ConnectOptions = {}): Promise<SessionClient> {
  const { firstPolicy = defaultRetryPolicy, signal: giveUp, ...others } = options;
  let isFirst = true;
  const connect = async (closed: AbortSignal): Promise<Transport> => {
    // Later the client itself decides when to try again.
    const policy = isFirst ? firstPolicy : { ...defaultRetryPolicy, tries: 1 };
    const signal = isFirst && giveUp ? AbortSignal.any([closed, giveUp]) : closed;
    const socket = await dial(path, { policy, signal });
    isFirst = false;
    return channel(socket, jsonLines);
  };
  return SessionClient.open(connect, others);
}

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
}

/**
 * Connects to a session's socket and attaches.
 *
 * @throws as `dial` does when there is no connection.
 */
export function connectSession(path: string, options: ConnectOptions = {}): Promise<SessionClient> {
  const { firstPolicy = defaultRetryPolicy, ...others } = options;
  let policy = firstPolicy;
  const connect = async (signal: AbortSignal): Promise<Transport> => {
    const socket = await dial(path, { policy, signal });
    // Later the client itself decides when to try again.
    policy = { ...defaultRetryPolicy, tries: 1 };
    return channel(socket, jsonLines);
  };
  return SessionClient.open(connect, others);
}

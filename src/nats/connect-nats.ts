import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import type { NatsAccess } from "./nats-access.ts";

const PING_MS = 10_000;
const CONNECT_MS = 5000;

/** What one user of a connection wants otherwise than the others. */
export type NatsWishes = Pick<
  NodeConnectionOptions,
  "noEcho" | "ignoreClusterUpdates" | "reconnectTimeWait" | "reconnectJitter"
>;

/**
 * Connects to a server. The connection comes back by itself when it is lost.
 *
 * @throws `connection_failed` when there is no server; `bus_refused` when it does not take us.
 */
export async function connectToNats(
  access: NatsAccess,
  wishes: NatsWishes,
): Promise<NatsConnection> {
  const { url, name, seed, inboxPrefix, tls } = access;
  try {
    return await connect({
      servers: url.split(","),
      name,
      maxReconnectAttempts: -1,
      pingInterval: PING_MS,
      maxPingOut: 2,
      timeout: CONNECT_MS,
      ...wishes,
      ...(inboxPrefix !== undefined && { inboxPrefix }),
      ...(seed !== undefined && {
        authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
      }),
      ...(tls && {
        tls: {
          // The client tells Node the name or address that the certificate must have only when TLS comes first.
          handshakeFirst: true,
          ...(tls.ca !== undefined && { caFile: tls.ca }),
          ...(tls.cert !== undefined && { certFile: tls.cert }),
          ...(tls.key !== undefined && { keyFile: tls.key }),
        },
      }),
    });
  } catch (error) {
    throw refusedOrLost(error as Error, url);
  }
}

const isRefusal = ({ name, message }: Error): boolean =>
  /Authorization|Authentication/.test(name) || /authorization|authentication/i.test(message);

/** Why there is no connection, or none any more, in our terms. */
export function refusedOrLost(error: Error, url: string): ClaudeCodeError {
  const cause = error.cause instanceof Error ? error.cause : error;
  const text = [error.message, cause.message].join(": ");
  if (isRefusal(error) || isRefusal(cause)) {
    return errorOf("bus_refused", `The NATS server at ${url} does not take these credentials.`, {
      cause: error,
      data: { url },
    });
  }
  const isTls = /certificate|tls|ssl/i.test(text);
  const why = isTls ? "the encrypted connection failed" : "there is no connection";
  return errorOf("connection_failed", `NATS server ${url}: ${why} (${text}).`, {
    cause: error,
    data: { url },
    hint: isTls
      ? "Name the credentials that 'switchboard bus init' wrote for this machine, with --credentials."
      : "Check that nats-server runs there and that this machine may reach it.",
  });
}

import type { NatsConnection, NodeConnectionOptions } from "@nats-io/transport-node";
import { connect, nkeyAuthenticator } from "@nats-io/transport-node";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Carrier, Carriers } from "../carrier.ts";
import type { NatsAccess } from "./nats-access.ts";
import { carriersToHosts, hostCarrier } from "./nats-carriers.ts";

/** A connection to a server, which comes back by itself when it is lost. */
export interface NatsLink {
  /** The end of a host: it can be heard, and hears, under its own name only. */
  hostEnd(team: string, host: string): Carrier;
  /** The end of the team. */
  teamEnd(team: string): Carriers;
  /** Resolves when it does not come back: with the reason, unless it was closed here. */
  readonly closed: Promise<ClaudeCodeError | undefined>;
  close(): Promise<void>;
}

const RECONNECT_MS = 250;
const PING_MS = 10_000;
const CONNECT_MS = 5000;

/** @throws `connection_failed` when there is no server; `bus_refused` when it does not take us. */
export async function connectNats(access: NatsAccess): Promise<NatsLink> {
  const nc = await connectOnce(access);
  let isConnected = true;
  void (async () => {
    for await (const { type } of nc.status()) {
      if (type === "disconnect") isConnected = false;
      if (type === "reconnect") isConnected = true;
    }
  })().catch(() => {});
  // What is published while there is no connection would be sent much later, when nothing waits for it any more.
  const publish = (subject: string, bytes: Uint8Array): void => {
    if (isConnected && !nc.isClosed()) nc.publish(subject, bytes);
  };
  const port = {
    publish,
    subscribe(subject: string, listener: (subject: string, bytes: Uint8Array) => void) {
      const subscription = nc.subscribe(subject, {
        callback: (error, message) => {
          if (!error) listener(message.subject, message.data);
        },
      });
      return () => subscription.unsubscribe();
    },
  };
  return {
    hostEnd: (team, host) => hostCarrier(port, team, host),
    teamEnd: (team) => carriersToHosts(port, team),
    closed: nc.closed().then((error) => (error ? refusedOrLost(error, access.url) : undefined)),
    async close() {
      if (!nc.isClosed()) await nc.flush().catch(() => {});
      await nc.close();
    },
  };
}

async function connectOnce(access: NatsAccess): Promise<NatsConnection> {
  const { url, name, seed, inboxPrefix, tls } = access;
  const options: NodeConnectionOptions = {
    servers: url.split(","),
    name,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    timeout: CONNECT_MS,
    ...(inboxPrefix !== undefined && { inboxPrefix }),
    ...(seed !== undefined && { authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)) }),
    ...(tls && {
      tls: {
        ...(tls.ca !== undefined && { caFile: tls.ca }),
        ...(tls.cert !== undefined && { certFile: tls.cert }),
        ...(tls.key !== undefined && { keyFile: tls.key }),
      },
    }),
  };
  try {
    return await connect(options);
  } catch (error) {
    throw refusedOrLost(error as Error, url);
  }
}

const isRefusal = ({ name, message }: Error): boolean =>
  /Authorization|Authentication/.test(name) || /authorization|authentication/i.test(message);

function refusedOrLost(error: Error, url: string): ClaudeCodeError {
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

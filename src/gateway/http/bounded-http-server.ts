import { readFileSync } from "node:fs";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { describeFileError } from "../../files/describe-file-error.ts";
import { systemCode } from "../../files/system-error-code.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Counts } from "../relay/traffic-counts.ts";
import { safeHeaders } from "./safe-headers.ts";
import { checkHostAndOrigin } from "./check-host-and-origin.ts";
import type { GatewayOrigins } from "./hosts-and-origins.ts";
import { refuse, refuseSocket, statusOf, wrongHostOrOrigin } from "./refuse-request.ts";

const MAX_HEADER_BYTES = 8 * 1024;
const MAX_HEADERS = 64;
const MAX_CONNECTIONS = 512;
const MAX_REQUESTS = 1_000;
/** How long a response may stand still because nobody reads it. */
const IDLE_MS = 60_000;
/** How many times within its time a request is looked at. */
const CHECKS = 10;

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** @throws `invalid_params` when a file cannot be read. */
export const readCertificate = (certFile: string, keyFile: string): Certificate => ({
  cert: textOf(certFile),
  key: textOf(keyFile),
});

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const message = `The file ${path} cannot be used for TLS: ${describeFileError(cause)}.`;
    throw errorOf("invalid_params", message, { data: { path }, cause });
  }
}

/** A server that gives nobody more time or memory than a browser needs. */
export function boundedServer(
  certificate: Certificate | undefined,
  requestMs: number,
  idleMs = IDLE_MS,
): Server {
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: requestMs / CHECKS,
  };
  const server = certificate
    ? createTlsServer({ ...options, ...certificate, handshakeTimeout: requestMs })
    : createServer(options);
  // WebSockets take it off again: they have pings.
  server.timeout = idleMs;
  server.maxConnections = MAX_CONNECTIONS;
  server.maxHeadersCount = MAX_HEADERS;
  server.maxRequestsPerSocket = MAX_REQUESTS;
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (!socket.writable || error.code === "ECONNRESET") socket.destroy();
    else refuseSocket(socket, unreadable[error.code ?? ""] ?? 400);
  });
  return server;
}

const unreadable: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Puts our headers on the response, and refuses a request to another name or from another site. */
export function admit(
  request: IncomingMessage,
  response: ServerResponse,
  origins: GatewayOrigins,
  counts: Counts,
): boolean {
  for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
  const verdict = checkHostAndOrigin(request, origins);
  if (verdict.ok) return true;
  const error = wrongHostOrOrigin(verdict.why);
  counts.refuse(statusOf(error));
  refuse(response, error);
  return false;
}

/**
 * Listens, and returns the port: the wanted one, else the one of the last start when that is free.
 *
 * @throws `socket_in_use`; `invalid_params` when the system does not let us listen there.
 */
export async function listenOn(
  server: Server,
  host: string,
  wanted: number | undefined,
  before: number | undefined,
): Promise<number> {
  if (wanted === undefined && before !== undefined) {
    try {
      return await tryListen(server, host, before);
    } catch {
      // Another program has it now.
    }
  }
  try {
    return await tryListen(server, host, wanted ?? 0);
  } catch (cause) {
    const code = systemCode(cause);
    const data = { host, port: wanted ?? 0 };
    if (code === "EADDRINUSE") {
      const hint = "Choose another --port, or end the program that has it.";
      throw errorOf("socket_in_use", `Port ${wanted} of ${host} is taken.`, { data, cause, hint });
    }
    const hint = "Choose an address of this machine, and a port above 1023.";
    throw errorOf("invalid_params", `The system refuses ${host}:${wanted ?? 0} (${code}).`, {
      data,
      cause,
      hint,
    });
  }
}

function tryListen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

import type { ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorTable } from "../../wire/error-table.ts";
import { toWire } from "../../wire/error-wire.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { safeHeaders } from "./safe-headers.ts";

/** Whether both halves, one or none was sent, and whose: the answer is the same. */
export const signInRequired = (): ClaudeCodeError =>
  errorOf("sign_in_required", "You are not signed in.");

export const tooManyKeys = (): ClaudeCodeError =>
  errorOf("rate_limited", "There were too many wrong keys from this address.", {
    data: { retry_after: 60 },
  });

export const wrongHostOrOrigin = (why: string): ClaudeCodeError => errorOf("origin_refused", why);

export const statusOf = (error: ClaudeCodeError): number => errorTable[error.code].http;

export const bodyOf = (error: ClaudeCodeError): string => JSON.stringify(toWire(error));

const TYPE = "application/json; charset=utf-8";

/** Refuses before any route was looked for. */
export function refuse(response: ServerResponse, error: ClaudeCodeError): void {
  response.writeHead(statusOf(error), {
    ...safeHeaders,
    "Content-Type": TYPE,
    Connection: "close",
  });
  response.end(bodyOf(error));
}

/** Refuses a handshake, or what could not even be read, on the bare socket. */
export function refuseSocket(socket: Duplex, status: number, body = ""): void {
  const headers = {
    ...safeHeaders,
    "Content-Type": TYPE,
    "Content-Length": String(Buffer.byteLength(body)),
    Connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", ""].join("\r\n");
  socket.once("finish", () => socket.destroy());
  socket.end(head + body);
}

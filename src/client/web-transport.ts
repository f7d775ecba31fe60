import type { StreamConnect, StreamTransport } from "../stream/stream-transport.ts";
import type { ErrorCode } from "../wire/error-table.ts";
import type { ClaudeCodeError } from "../wire/errors.ts";
import { errorOf } from "../wire/errors.ts";
import { GATEWAY_PROTOCOL, gatewayCloseCodes, KEY_PROTOCOL_PREFIX } from "../wire/gateway.ts";
import type { JsonValue } from "../wire/json.ts";
import type { Parsed } from "../wire/json-payload.ts";
import { MAX_MESSAGE_BYTES } from "../wire/json-payload.ts";
import { ItemQueue } from "./item-queue.ts";

/** What a transport needs of a WebSocket; the browser's own is one. */
export interface WebSocketLike {
  readonly readyState: number;
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(type: "open" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  addEventListener(
    type: "close",
    listener: (event: { readonly code: number; readonly reason: string }) => void,
  ): void;
}

export interface WebConnectOptions {
  /** Such as `wss://host/ws/team`. */
  readonly url: string;
  /** The page's half of the key, from `POST /auth/enter`. The browser adds the other half itself. */
  readonly key: string;
  /** By default the browser's own WebSocket. */
  readonly open?: (url: string, protocols: string[]) => WebSocketLike;
}

const OPEN = 1;

/**
 * Connects through a gateway. Give it to `SessionClient.open` or `TeamClient.open`. When the gateway closes with 4401, 4403,
 * 4404 or 4422 the client does not try again. A browser cannot slow a WebSocket down, so read the events without delay.
 *
 * A browser does not say why a handshake failed. `GET /auth/me` does: 401 means that the sign-in has ended.
 */
export const webConnect =
  <Line>({ url, key, open = openWebSocket }: WebConnectOptions): StreamConnect<Line> =>
  (signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const socket = open(url, [GATEWAY_PROTOCOL, KEY_PROTOCOL_PREFIX + key]);
      const lines = new ItemQueue<Parsed>((_line): _line is Parsed => true);
      const abort = (): void => {
        socket.close();
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort);
      socket.addEventListener("open", () => {
        signal.removeEventListener("abort", abort);
        resolve(transportOf(socket, lines));
      });
      socket.addEventListener("message", ({ data }) => lines.push(parse(data)));
      // The close follows, and says more.
      socket.addEventListener("error", () => {});
      socket.addEventListener("close", ({ code, reason }) => {
        signal.removeEventListener("abort", abort);
        const error = errorOfClose(code, reason);
        lines.end(error);
        reject(errorOf("connection_failed", "The gateway could not be reached.", { cause: error }));
      });
    });

const openWebSocket = (url: string, protocols: string[]): WebSocketLike =>
  new WebSocket(url, protocols);

function transportOf<Line>(socket: WebSocketLike, lines: ItemQueue<Parsed>): StreamTransport<Line> {
  return {
    async send(line) {
      const text = textOf(line);
      if (socket.readyState !== OPEN) throw errorOfClose();
      socket.send(text);
    },
    async close() {
      socket.close();
      lines.end();
    },
    [Symbol.asyncIterator]: () => lines[Symbol.asyncIterator](),
  };
}

function parse(data: unknown): Parsed {
  try {
    return { ok: true, value: JSON.parse(String(data)) as JsonValue };
  } catch (cause) {
    return { ok: false, error: errorOf("parse_error", "A frame is not JSON.", { cause }) };
  }
}

/** @throws `not_serialisable`; `message_too_large`, before the gateway would close the connection for it. */
function textOf(line: unknown): string {
  const text = jsonOf(line);
  // A character is at least one byte and at most three.
  const isSure = text.length * 3 <= MAX_MESSAGE_BYTES;
  const bytes = isSure ? text.length : new TextEncoder().encode(text).length;
  if (bytes <= MAX_MESSAGE_BYTES) return text;
  throw errorOf("message_too_large", `A message of ${bytes} bytes is too large.`, {
    data: { bytes, limit: MAX_MESSAGE_BYTES },
  });
}

function jsonOf(line: unknown): string {
  try {
    return JSON.stringify(line);
  } catch (cause) {
    throw errorOf("not_serialisable", "The value has no JSON form.", { cause });
  }
}

const codes: Readonly<Record<number, ErrorCode>> = {
  [gatewayCloseCodes.signInRequired]: "sign_in_required",
  [gatewayCloseCodes.notForViewers]: "read_only",
  [gatewayCloseCodes.noSuchAgent]: "agent_not_found",
  [gatewayCloseCodes.asleep]: "agent_unavailable",
  [gatewayCloseCodes.nameRefused]: "invalid_params",
};

const hints: Readonly<Record<number, string>> = {
  [gatewayCloseCodes.nameRefused]: "Ask an owner of this gateway for a link with another name.",
};

function errorOfClose(code = 0, reason = ""): ClaudeCodeError {
  const hint = hints[code];
  const message = reason === "" ? "The connection to the gateway has ended." : reason;
  return errorOf(codes[code] ?? "connection_lost", message, {
    data: { close: code },
    ...(hint !== undefined && { hint }),
  });
}

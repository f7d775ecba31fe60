import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { WebSocket } from "ws";
import { WebSocketServer } from "ws";
import type { Logger } from "../../log/logger.ts";
import { dial } from "../../net/connect-with-retries.ts";
import type { Timers } from "../../time/clock.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import { errorOf } from "../../wire/errors.ts";
import { GATEWAY_PROTOCOL, gatewayCloseCodes } from "../../wire/gateway.ts";
import { MAX_MESSAGE_BYTES } from "../../wire/json-payload.ts";
import { closeWebSocket } from "../relay/close-websocket.ts";
import { introduce } from "../relay/introduce-person.ts";
import { once } from "../relay/line-client.ts";
import { startRelay } from "../relay/relay-websocket.ts";
import type { Wanted } from "../relay/find-upstream.ts";
import { findUpstream, wantedIn } from "../relay/find-upstream.ts";
import type { Pass } from "../sign-in/pass.ts";
import { offersProtocol } from "../sign-in/pass-of-request.ts";
import type { GatewayParts } from "./gateway-context.ts";
import { checkHostAndOrigin } from "./check-host-and-origin.ts";
import { bodyOf, refuseSocket, statusOf, wrongHostOrOrigin } from "./refuse-request.ts";
import { identify } from "./require-sign-in.ts";

const DIAL_MS = 5_000;
const TRY_AGAIN_LATER = 1013;

export interface UpgradeParts extends GatewayParts {
  readonly timers: Timers;
  readonly logger: Logger;
}

/** Judges every handshake before it is made: name, origin, both halves of the key, and what is asked for. */
export function createUpgrade(parts: UpgradeParts) {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: () => GATEWAY_PROTOCOL,
  });
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on("error", () => {});
    const judged = judge(request, parts);
    if (judged instanceof Error) {
      const status = statusOf(judged);
      parts.counts.refuse(status);
      return refuseSocket(socket, status, bodyOf(judged));
    }
    server.handleUpgrade(request, socket, head, (browser) => void open(browser, judged, parts));
  };
}

interface Judged {
  readonly pass: Pass;
  readonly wanted: Wanted;
}

function judge(request: IncomingMessage, parts: UpgradeParts): Judged | ClaudeCodeError {
  const verdict = checkHostAndOrigin(request, parts.origins(), true);
  if (!verdict.ok) return wrongHostOrOrigin(verdict.why);
  const pass = identify(request, parts);
  if (pass instanceof Error) return pass;
  const wanted = wantedIn(request.url ?? "");
  if (!wanted) return errorOf("method_not_found", "There is nothing here.");
  if (offersProtocol(request)) return { pass, wanted };
  return errorOf("invalid_request", `The subprotocol ${GATEWAY_PROTOCOL} was not offered.`);
}

async function open(
  browser: WebSocket,
  { pass, wanted }: Judged,
  parts: UpgradeParts,
): Promise<void> {
  const { sockets, counts, logger, target, timers } = parts;
  // What is wrong with a frame is told by the close.
  browser.on("error", () => {});
  browser.once("close", (code) => {
    counts.close(code);
    logger.debug({ serves: wanted.kind, role: pass.role, code }, "A WebSocket was closed.");
  });
  if (!sockets.hasRoomFor(pass))
    return closeWebSocket(browser, TRY_AGAIN_LATER, "Too many connections are open.");
  sockets.add(browser, pass);
  logger.debug({ serves: wanted.kind, role: pass.role }, "A WebSocket was opened.");
  // Nothing is lost while the server is looked for.
  browser.pause();
  const upstream = await findUpstream(target, wanted, pass.role);
  if (!upstream.ok) return closeWebSocket(browser, upstream.code, upstream.reason);
  const server = await dial(upstream.path, { policy: once, timeoutMs: DIAL_MS }).catch(
    () => undefined,
  );
  if (!server)
    return closeWebSocket(browser, gatewayCloseCodes.upstreamGone, "The server does not answer.");
  if (browser.readyState !== browser.OPEN) return void server.destroy();
  browser.resume();
  const introduction = upstream.takesName ? introduce(pass.name) : undefined;
  startRelay({ browser, server, introduction, timers, counts });
}

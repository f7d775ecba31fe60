import type { IncomingMessage } from "node:http";
import { GATEWAY_PROTOCOL, KEY_HEADER, KEY_PROTOCOL_PREFIX } from "../../wire/gateway.ts";
import type { PassStore } from "./pass-store.ts";
import type { Pass } from "./pass.ts";

/** A server on another port may add cookies of our name: ours is looked for among this many. */
const MAX_COOKIES = 4;

/** The sign-in of a request, by its cookie and the key in its header or, for a WebSocket, in its subprotocols. */
export function passOf(request: IncomingMessage, passes: PassStore): Pass | undefined {
  const key = oneOf(request, KEY_HEADER) ?? protocolKey(request) ?? "";
  const cookies = cookiesOf(request, passes.cookieName);
  let found: Pass | undefined;
  // Also without a cookie the work is done, so that the time of the answer tells nothing.
  for (const cookie of cookies.length === 0 ? [""] : cookies)
    found = passes.find(cookie, key) ?? found;
  return found;
}

/** The subprotocols that a WebSocket offers. */
const protocolsOf = (request: IncomingMessage): string[] =>
  (request.headers["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());

export const offersProtocol = (request: IncomingMessage): boolean =>
  protocolsOf(request).includes(GATEWAY_PROTOCOL);

function protocolKey(request: IncomingMessage): string | undefined {
  const offered = protocolsOf(request).find((each) => each.startsWith(KEY_PROTOCOL_PREFIX));
  return offered?.slice(KEY_PROTOCOL_PREFIX.length);
}

function cookiesOf(request: IncomingMessage, name: string): string[] {
  const all = (request.headers.cookie ?? "").split(";").map((each) => each.trim());
  const ours = all.filter((each) => each.startsWith(`${name}=`));
  return ours.slice(0, MAX_COOKIES).map((each) => each.slice(name.length + 1));
}

function oneOf(request: IncomingMessage, header: string): string | undefined {
  const values = request.headersDistinct[header];
  return values?.length === 1 ? values[0] : undefined;
}

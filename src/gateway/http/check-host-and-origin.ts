import type { IncomingMessage } from "node:http";
import type { GatewayOrigins } from "./hosts-and-origins.ts";

/** Paths that are not the page's. */
const OWN_PATHS = /^\/(?:api|auth|ws|metrics|healthz)(?:[/?]|$)/;

export const isOwnPath = (url: string): boolean => OWN_PATHS.test(url);

export type Verdict =
  | { readonly ok: true; readonly origin: string }
  | { readonly ok: false; readonly why: string };

/**
 * Whether a request comes to one of our names, and from a page of ours or from no page. Decided before anything else, also
 * for static files: a page of another site that has made its name point here gets nothing.
 */
export function checkHostAndOrigin(
  request: IncomingMessage,
  origins: GatewayOrigins,
  isUpgrade = false,
): Verdict {
  const { method = "", url = "" } = request;
  const place = one(request, "host");
  const origin = place === undefined ? undefined : origins.get(place);
  if (origin === undefined) return no("This is not an address of the gateway.");
  if (!url.startsWith("/") || url.startsWith("//")) return no("The path is not one of a gateway.");
  const isReading = !isUpgrade && (method === "GET" || method === "HEAD");
  const from = request.headersDistinct["origin"];
  if (from === undefined ? !isReading : from.length !== 1 || from[0] !== origin) {
    return no("The request does not come from a page of this gateway.");
  }
  const site = one(request, "sec-fetch-site");
  const isForeign = site !== undefined && site !== "same-origin" && site !== "none";
  if (isForeign && (!isReading || isOwnPath(url) || !isNavigation(request))) {
    return no("The request comes from another site.");
  }
  return { ok: true, origin };
}

const no = (why: string): Verdict => ({ ok: false, why });

/** A person follows a link from another site: the page itself may be shown, and holds nothing. */
const isNavigation = (request: IncomingMessage): boolean =>
  one(request, "sec-fetch-mode") === "navigate" && one(request, "sec-fetch-dest") === "document";

function one(request: IncomingMessage, header: string): string | undefined {
  const values = request.headersDistinct[header];
  return values?.length === 1 ? values[0] : undefined;
}

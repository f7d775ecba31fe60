// What a page and the gateway agree on, beside the lines of sessions and teams that pass between them. Without schemas, so
// that the page's bundle stays small.

/** The WebSocket subprotocol that both sides choose. */
export const GATEWAY_PROTOCOL = "switchboard.1";
/** A second subprotocol carries the page's key: a browser cannot add a header to a WebSocket. */
export const KEY_PROTOCOL_PREFIX = "sb.";
/** The header that carries the page's key in all other requests. */
export const KEY_HEADER = "x-switchboard-key";
/** The gateway sends a WebSocket ping this often, and gives up after two that were not answered. */
export const GATEWAY_PING_MS = 15_000;

/** Why the gateway closes a WebSocket. Other numbers are those of RFC 6455. */
export const gatewayCloseCodes = {
  /** The sign-in has ended or was revoked: trying again does not help. */
  signInRequired: 4401,
  /** A viewer asked for what has no read-only socket: trying again does not help. */
  notForViewers: 4403,
  /** There is no such agent: trying again does not help. */
  noSuchAgent: 4404,
  /** The agent has no process now; the reason of the close is its state. */
  asleep: 4409,
  /** The team does not take the person's name, for example because an agent has it: trying again does not help. */
  nameRefused: 4422,
  /** The session or the team is gone, or does not answer: try again. */
  upstreamGone: 4503,
} as const;

/** Viewers reach only the sockets that are for reading. */
export type GatewayRole = "owner" | "viewer";

/** The answer to `GET /auth/me`, and a part of the answer to `POST /auth/enter`. */
export interface GatewaySignIn {
  readonly name: string;
  readonly role: GatewayRole;
  /** In UTC. An owner's sign-in is renewed while it is used. */
  readonly expires_at: string;
  /** What this gateway shows. */
  readonly serves: "team" | "session";
}

/** One right to enter: a link that nobody has used yet, or the sign-in that came of it. */
export interface GatewayLink {
  readonly id: string;
  readonly name: string;
  readonly role: GatewayRole;
  readonly state: "open" | "used";
  readonly made_at: string;
  readonly expires_at: string;
  /** When its sign-in was last used. */
  readonly seen_at?: string;
  /** The sign-in that asked for the list. */
  readonly yours?: true;
}

import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Pass } from "../sign-in/pass.ts";
import type { PassStore } from "../sign-in/pass-store.ts";
import type { WrongKeys } from "../sign-in/count-wrong-keys.ts";
import type { Counts } from "../relay/traffic-counts.ts";
import type { OpenSockets } from "../relay/open-sockets.ts";
import type { GatewayTarget } from "../relay/find-upstream.ts";
import type { GatewayOrigins } from "./hosts-and-origins.ts";
import type { StaticFile } from "./static-files.ts";

/** What the routes work with. */
export interface GatewayParts {
  readonly target: GatewayTarget;
  readonly passes: PassStore;
  readonly wrongKeys: WrongKeys;
  readonly sockets: OpenSockets;
  readonly counts: Counts;
  readonly files: ReadonlyMap<string, StaticFile>;
  /** Known when the gateway listens. */
  readonly origins: () => GatewayOrigins;
  /** The address that is part of links. */
  readonly origin: () => string;
}

/** The types of a route; `pass` is there behind `signedIn`. */
export interface GatewayEnv {
  Bindings: HttpBindings;
  Variables: { pass: Pass };
}

export type GatewayContext = Context<GatewayEnv>;

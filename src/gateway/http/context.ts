import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Pass } from "../way-in/passes.ts";
import type { PassBook } from "../way-in/pass-book.ts";
import type { WrongKeys } from "../way-in/wrong-keys.ts";
import type { Counts } from "../relay/counts.ts";
import type { OpenSockets } from "../relay/open-sockets.ts";
import type { GatewayTarget } from "../relay/upstream.ts";
import type { GatewayPlaces } from "./places.ts";
import type { StaticFile } from "./static-files.ts";

/** What the routes work with. */
export interface GatewayParts {
  readonly target: GatewayTarget;
  readonly book: PassBook;
  readonly wrongKeys: WrongKeys;
  readonly sockets: OpenSockets;
  readonly counts: Counts;
  readonly files: ReadonlyMap<string, StaticFile>;
  /** Known when the gateway listens. */
  readonly places: () => GatewayPlaces;
  /** The address that is part of links. */
  readonly origin: () => string;
}

/** The types of a route; `pass` is there behind `signedIn`. */
export interface GatewayEnv {
  Bindings: HttpBindings;
  Variables: { pass: Pass };
}

export type GatewayContext = Context<GatewayEnv>;

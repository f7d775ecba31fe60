import type { NatsAccess } from "../../nats/nats-access.ts";
import type { NatsLine } from "../../nats/open-nats-line.ts";
import { openNatsLine } from "../../nats/open-nats-line.ts";
import type { Carrier, Carriers } from "../carrier.ts";
import { carriersToHosts, hostCarrier } from "./nats-carriers.ts";

/** A connection to a server, which comes back by itself when it is lost. */
export interface NatsLink extends Pick<NatsLine, "closed" | "close"> {
  readonly line: NatsLine;
  /** The end of a host: it can be heard, and hears, under its own name only. */
  hostEnd(team: string, host: string): Carrier;
  /** The end of the team. */
  teamEnd(team: string): Carriers;
}

/** @throws `connection_failed` when there is no server; `bus_refused` when it does not take us. */
export async function connectNats(access: NatsAccess): Promise<NatsLink> {
  const line = await openNatsLine(access);
  return {
    line,
    hostEnd: (team, host) => hostCarrier(line, team, host),
    teamEnd: (team) => carriersToHosts(line, team),
    closed: line.closed,
    close: () => line.close(),
  };
}

import { backgroundClock } from "../../../time/clock.ts";
import { accessOf } from "../../../nats/nats-credentials.ts";
import type { Team } from "../../file/team.ts";
import { Assignments } from "./assignments.ts";
import { Hosts } from "./hosts.ts";
import { RemoteHost } from "./remote-host.ts";

/** The server through which the machines of a team reach each other. */
export interface TeamBus {
  /** `nats://HOST:PORT`. */
  readonly url: string;
  /** A file that `switchboard bus init` has written for this machine. */
  readonly credentials?: string;
}

/** Connects to the server, where hosts join. @throws `connection_failed`; `bus_refused`; `invalid_params`. */
export async function openRemoteHost(
  team: Team,
  { url, credentials }: TeamBus,
  rehearsed: boolean,
): Promise<RemoteHost> {
  // Loaded only when it is asked for.
  const { connectNats } = await import("../../../tunnel/nats/connect-nats.ts");
  const nats = await connectNats(accessOf(url, credentials));
  const assignments = new Assignments();
  const carriers = nats.teamEnd(team.name);
  const hosts = new Hosts({ carriers, clock: backgroundClock, assignments });
  return new RemoteHost({ team, hosts, assignments, rehearsed, disconnect: () => nats.close() });
}

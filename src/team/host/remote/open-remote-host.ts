import type { Records } from "../../../bus/records.ts";
import { backgroundClock } from "../../../time/clock.ts";
import type { NatsLink } from "../../../tunnel/nats/connect-nats.ts";
import type { Team } from "../../file/team.ts";
import { Assignments } from "./assignments.ts";
import { Hosts } from "./hosts.ts";
import { Moves } from "./moves.ts";
import { RemoteHost } from "./remote-host.ts";

/** The server through which the machines of a team reach each other. */
export interface TeamBus {
  /** `nats://HOST:PORT`. */
  readonly url: string;
  /** A file that `switchboard bus init` has written for this machine. */
  readonly credentials?: string;
  /** This machine's name in the team; by default that of the system. */
  readonly host?: string;
  /** Where servers tell of themselves by HTTP: what is promised about a power loss is found out there. */
  readonly monitors?: readonly string[];
  /** Become the office without asking whether there is one: it was silent, or has given it up. */
  readonly follows?: boolean;
}

/** Lets hosts join the team whose office this process is. */
export async function openRemoteHost(
  team: Team,
  office: { readonly link: NatsLink; readonly epoch: number; readonly records: Records },
  rehearsed: boolean,
): Promise<RemoteHost> {
  const assignments = new Assignments();
  const carriers = office.link.teamEnd(team.name);
  const hosts = new Hosts({ carriers, clock: backgroundClock, assignments });
  // The office itself ends the connection.
  const remote = new RemoteHost({
    team,
    hosts,
    assignments,
    moves: new Moves(),
    rehearsed,
    disconnect: () => Promise.resolve(),
  });
  await remote.useRecords(office.records, office.epoch);
  return remote;
}

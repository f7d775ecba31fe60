import { join } from "node:path";
import type { Bus } from "../bus/bus.ts";
import type { Records } from "../bus/records.ts";
import { openSqliteBus } from "../bus/sqlite/open-sqlite-bus.ts";
import type { StartFacts } from "./announce-start.ts";
import { composeTeam } from "./compose-team.ts";
import type { Team } from "./file/team.ts";
import type { AgentHost } from "./host/agent-host.ts";
import type { RunningTeam } from "./running-team.ts";

export interface RunTeamOptions extends StartFacts {
  readonly team: Team;
  /** An absolute path. It exists, and no other team may use it. */
  readonly stateDir: string;
  /** This machine. */
  readonly host: AgentHost;
  /** By default those in the state directory alone. */
  readonly openBus?: (() => Promise<Bus>) | undefined;
  /** Where the agents run, when that is not only this machine. Called when the records of the team can be read. */
  readonly everywhere?: ((records: Records) => Promise<AgentHost>) | undefined;
}

/**
 * Runs a team on its messages and records. Resolves when the agents are on their way up; their states tell the rest.
 *
 * @throws `team_invalid`; `bus_in_use`; what else keeps the team from starting.
 */
export async function runTeam(options: RunTeamOptions): Promise<RunningTeam> {
  const { team, stateDir, host, openBus, everywhere, ...facts } = options;
  // First of all, because it is refused most often.
  await host.open();
  let hosts = host;
  try {
    const bus = await (openBus?.() ?? openOwnBus(team, stateDir));
    try {
      if (everywhere) hosts = await everywhere(bus.records);
      return await composeTeam(team, bus, hosts, facts);
    } catch (error) {
      await bus.close();
      throw error;
    }
  } catch (error) {
    await hosts.close({ clear: false });
    throw error;
  }
}

const openOwnBus = (team: Team, stateDir: string): Promise<Bus> =>
  openSqliteBus(join(stateDir, "bus.db"), { maxAttempts: team.limits.delivery_attempts });

import { join } from "node:path";
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
  /** Where the agents run. */
  readonly host: AgentHost;
  /** Called when the records of the team can be read, before the first agent. */
  readonly onRecords?: ((records: Records) => Promise<void>) | undefined;
}

/**
 * Runs a team on the messages and records of its state directory. Resolves when the agents are on their way up; their
 * states tell the rest.
 *
 * @throws `team_invalid`; `bus_in_use`; what else keeps the team from starting.
 */
export async function runTeam(options: RunTeamOptions): Promise<RunningTeam> {
  const { team, stateDir, host, onRecords, ...facts } = options;
  // First of all, because it is refused most often.
  await host.open();
  try {
    const bus = await openSqliteBus(join(stateDir, "bus.db"), {
      maxAttempts: team.limits.delivery_attempts,
    });
    try {
      await onRecords?.(bus.records);
      return await composeTeam(team, bus, host, facts);
    } catch (error) {
      await bus.close();
      throw error;
    }
  } catch (error) {
    await host.close({ clear: false });
    throw error;
  }
}

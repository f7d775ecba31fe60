import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openSqliteCopy } from "../bus/sqlite/open-copy.ts";
import { packageVersion } from "../files/package-version.ts";
import type { AgentId } from "../wire/team/messages.ts";
import { AgentRecord, namesOfAgents } from "./agents/stored-agent-record.ts";
import { openControl } from "./control/serve-control-socket.ts";
import { StoppedTeam } from "./control/stopped-team.ts";
import type { RunMark } from "./host/agent-host.ts";
import { LocalLeftovers } from "./host/local/local-leftovers.ts";

// What can be done with a team of this machine that has no process.

/** @throws `team_not_running` when there is nothing; `bus_in_use` when a process has just started. */
export const openStoppedTeam = (stateDir: string): Promise<StoppedTeam> =>
  StoppedTeam.open(stateDir, new LocalLeftovers(stateDir));

/**
 * Ends what a killed process of the team has left running: its agents, which wait for the next process, and the
 * rehearsal. Their conversations and messages stay as they are.
 *
 * @returns the agents that were still running.
 * @throws `team_running` when a process of the team is there.
 */
export async function endLeftovers(stateDir: string): Promise<AgentId[]> {
  // While this process has the control socket, no process of the team can start.
  const control = await openControl({
    stateDir,
    version: packageVersion,
    onDown: () => {},
  });
  try {
    return await new LocalLeftovers(stateDir).endRuns(await marksOfRuns(stateDir));
  } finally {
    await control.close();
  }
}

/**
 * Removes the state directory of a team that no process runs, and what the team has outside of it: sockets, and the
 * entries of its worktrees in their repositories.
 */
export async function removeTeam(stateDir: string): Promise<void> {
  await new LocalLeftovers(stateDir).remove();
  rmSync(stateDir, { recursive: true, force: true });
}

async function marksOfRuns(stateDir: string): Promise<Map<AgentId, RunMark>> {
  const marks = new Map<AgentId, RunMark>();
  const file = join(stateDir, "bus.db");
  if (!existsSync(file)) return marks;
  const copy = await openSqliteCopy(file);
  try {
    const { records } = copy.bus;
    for (const id of await namesOfAgents(records)) {
      const record = new AgentRecord(records, id);
      await record.load();
      marks.set(id, record.mark);
    }
    return marks;
  } finally {
    await copy.close();
  }
}

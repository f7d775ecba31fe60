import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openSqliteCopy } from "../bus/sqlite/open-copy.ts";
import { packageVersion } from "../files/package-version.ts";
import { probeSocket } from "../net/probe.ts";
import type { AgentId } from "../wire/team/messages.ts";
import { AgentRecord, namesOfAgents } from "./agents/agent-record.ts";
import { openControl } from "./control/server.ts";
import { pathsOfAgent } from "./host/local/agent-paths.ts";
import { endAgentProcess, findAgentProcess, sweepAfterKill } from "./host/local/agent-process.ts";
import { endTeamRehearsal } from "./rehearsal-process.ts";
import { controlSocket } from "./state-dir/control-socket.ts";

/**
 * Ends what a team's process has left running when it was killed: agents that wait for the next process, and the
 * rehearsal. Removes their sockets. Their conversations and messages stay as they are.
 *
 * @returns the agents that were still running.
 * @throws `team_running` when a process of the team is there.
 */
export async function endLeftovers(stateDir: string): Promise<AgentId[]> {
  // Whoever has this socket is the team's one process, so that none is started meanwhile.
  const control = await openControl({
    path: controlSocket(stateDir),
    version: packageVersion,
    onDown: () => {},
  });
  try {
    const agents = await recordedAgents(stateDir);
    const ended = await Promise.all(agents.map((agent) => endAgent(stateDir, agent)));
    const isRehearsalEnded = await endTeamRehearsal(stateDir);
    if (ended.includes(true) || isRehearsalEnded) await sweepAfterKill();
    return agents.filter((_, index) => ended[index]).map(({ id }) => id);
  } finally {
    await control.close();
  }
}

async function recordedAgents(stateDir: string): Promise<AgentRecord[]> {
  const file = join(stateDir, "bus.db");
  if (!existsSync(file)) return [];
  const copy = await openSqliteCopy(file);
  try {
    const { records } = copy.bus;
    const agents = (await namesOfAgents(records)).map((id) => new AgentRecord(records, id));
    for (const agent of agents) await agent.load();
    return agents;
  } finally {
    await copy.close();
  }
}

/** Returns whether it was running. */
async function endAgent(stateDir: string, { id, mark }: AgentRecord): Promise<boolean> {
  const paths = pathsOfAgent(stateDir, id);
  const running = findAgentProcess(mark.process, paths);
  if (running) await endAgentProcess(running, 0);
  await removeDeadSocketsIn(paths.tools);
  return running !== undefined;
}

async function removeDeadSocketsIn(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  for (const name of readdirSync(directory).filter((each) => each.endsWith(".sock"))) {
    const path = join(directory, name);
    if ((await probeSocket(path)).state === "dead") rmSync(path, { force: true });
  }
}

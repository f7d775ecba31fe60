import { Command } from "commander";
import type { ReadStatus } from "../../team/core.ts";
import type { TeamPlace } from "./find-team.ts";
import { readTeam, stateDirOption, teamOption } from "./find-team.ts";
import { dayTime, print, printJson, table } from "./print-for-people.ts";
import { oneLine } from "./one-line.ts";
import { LEFT_HINT, leftRunning, stillRun } from "./absent-team-errors.ts";

interface Flags extends TeamPlace {
  json?: boolean;
}

/** `switchboard status`: who is there and what they do. */
export function statusCommand(): Command {
  return new Command("status")
    .description("show the agents of a team and what they are doing")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print the status as one line of JSON")
    .action(async ({ json = false, ...place }: Flags) => {
      await using team = await readTeam(place, true);
      const status = (await team.request("status", {})) as ReadStatus;
      if (json) printJson(status);
      else showStatus(status);
    });
}

function showStatus(status: ReadStatus): void {
  const { team, agents, open_tasks, dead_letters, refusals, cost_usd, pid, rehearsal } = status;
  const { open_notices = 0 } = status;
  const last = status.last_at === undefined ? "" : `; last seen ${dayTime(status.last_at)}`;
  const left = leftRunning(status);
  const gone = `${left.length === 0 ? "is stopped" : "has no process"}${last}`;
  const head = pid === undefined ? `Team ${team} ${gone}` : `Team ${team}, process ${pid}`;
  print(`${head}${rehearsal ? "; the model is rehearsed" : ""}\n`);
  print(
    table([
      ["AGENT", "STATE", "INBOX", "DECISIONS", "TURNS", "COST", "ROLE"],
      ...agents.map((agent) => [
        agent.id + (agent.lead ? " (lead)" : ""),
        left.includes(agent.id) ? "still runs" : agent.state,
        String(agent.inbox),
        String(agent.pending),
        String(agent.turns),
        `$${agent.cost_usd.toFixed(4)}`,
        oneLine(agent.description, 50),
      ]),
    ]),
  );
  for (const { id, host } of agents) if (host !== undefined) print(`${id} runs on ${host}.`);
  for (const { id, reason } of agents) if (reason !== undefined) print(`${id}: ${oneLine(reason)}`);
  for (const { id, continues_at: at } of agents) {
    if (at !== undefined) {
      print(
        `${id} continues at ${dayTime(at)}, when the usage limit resets; 'switchboard abort ${id}' cancels it.`,
      );
    }
  }
  for (const line of agents.flatMap(serverLines)) print(line);
  if (left.length > 0)
    print(`\nAlthough the team's process is gone, ${stillRun(left)}. ${LEFT_HINT}`);
  const spent = `$${cost_usd.toFixed(4)}${rehearsal ? " (rehearsed: nothing was paid)" : ""}`;
  print(
    `\nOpen tasks: ${open_tasks}. Dead letters: ${dead_letters}. Refused messages: ${refusals}. Spent: ${spent}.`,
  );
  if (open_notices > 0) print(`Open notices: ${open_notices}. 'switchboard notices' lists them.`);
}

type AgentStatus = ReadStatus["agents"][number];

/** Where an agent's tools come from, beside the team's own. */
const serverLines = ({ id, mcp_servers = [] }: AgentStatus): string[] =>
  mcp_servers.map(({ name, status, tools = [], error }) => {
    const state = error === undefined ? status : `${status}: ${error}`;
    return `${id}'s MCP server ${name}: ${state}${status === "connected" ? `, ${tools.length} tools` : ""}`;
  });

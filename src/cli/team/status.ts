import { Command } from "commander";
import type { ReadStatus } from "../../team/core.ts";
import type { Task } from "../../wire/team/task.ts";
import type { TeamPlace } from "./find-team.ts";
import { readTeam, stateDirOption, teamOption } from "./find-team.ts";
import { dayTime, print, printJson, table } from "./print.ts";
import { brief } from "./brief.ts";
import { LEFT_HINT, leftRunning, stillRun } from "./which-team.ts";

interface Flags extends TeamPlace {
  json?: boolean;
  all?: boolean;
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
        brief(agent.description, 50),
      ]),
    ]),
  );
  for (const line of agents.flatMap(serverLines)) print(line);
  if (left.length > 0)
    print(`\nAlthough the team's process is gone, ${stillRun(left)}. ${LEFT_HINT}`);
  const spent = `$${cost_usd.toFixed(4)}${rehearsal ? " (rehearsed: nothing was paid)" : ""}`;
  print(
    `\nOpen tasks: ${open_tasks}. Dead letters: ${dead_letters}. Refused messages: ${refusals}. Spent: ${spent}.`,
  );
}

type AgentStatus = ReadStatus["agents"][number];

/** Where an agent's tools come from, beside the team's own. */
const serverLines = ({ id, mcp_servers = [] }: AgentStatus): string[] =>
  mcp_servers.map(({ name, status, tools = [], error }) => {
    const state = error === undefined ? status : `${status}: ${error}`;
    return `${id}'s MCP server ${name}: ${state}${status === "connected" ? `, ${tools.length} tools` : ""}`;
  });

/** `switchboard tasks`: what was asked of whom, and how far it is. */
export function tasksCommand(): Command {
  return new Command("tasks")
    .description("list the tasks of a team")
    .option("--all", "also list tasks that have ended")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print each task as one line of JSON")
    .action(async ({ json = false, all = false, ...place }: Flags) => {
      await using team = await readTeam(place, json);
      const { tasks } = await team.request("tasks", { all });
      if (json) for (const task of tasks) printJson(task);
      else if (tasks.length === 0) print("No open tasks.");
      else showTasks(tasks);
    });
}

const showTasks = (tasks: readonly Task[]): void =>
  print(
    table([
      ["TASK", "STATE", "FROM", "TO", "WHAT"],
      ...tasks.map(({ id, state, from_agent, to_agent, title }) => [
        id,
        state,
        from_agent,
        to_agent,
        brief(title, 60),
      ]),
    ]),
  );

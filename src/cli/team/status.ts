import { Command } from "commander";
import type { TeamStatus } from "../../wire/team-control.ts";
import type { Task } from "../../wire/team-task.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";
import { print, printJson, table } from "./print.ts";
import { brief } from "./brief.ts";

interface Flags extends TeamPlace {
  json?: boolean;
  all?: boolean;
}

/** `switchboard status`: who is there and what they do. */
export function statusCommand(): Command {
  return new Command("status")
    .description("show the agents of the running team, and what they do")
    .addOption(stateDirOption())
    .option("--json", "print it as one line of JSON")
    .action(async ({ json = false, ...place }: Flags) => {
      await using team = await connectTeam(place);
      const status = (await team.request("status", {})) as TeamStatus;
      if (json) printJson(status);
      else showStatus(status);
    });
}

function showStatus(status: TeamStatus): void {
  const { team, agents, open_tasks, dead_letters, refusals, cost_usd, pid, rehearsal } = status;
  print(`Team ${team}, process ${pid}${rehearsal ? "; the model is rehearsed" : ""}\n`);
  print(
    table([
      ["AGENT", "STATE", "INBOX", "DECISIONS", "TURNS", "COST", "ROLE"],
      ...agents.map((agent) => [
        agent.id + (agent.lead ? " (lead)" : ""),
        agent.state,
        String(agent.inbox),
        String(agent.pending),
        String(agent.turns),
        `$${agent.cost_usd.toFixed(4)}`,
        brief(agent.description, 50),
      ]),
    ]),
  );
  const spent = `$${cost_usd.toFixed(4)}${rehearsal ? " (rehearsed: nothing was paid)" : ""}`;
  print(
    `\nOpen tasks: ${open_tasks}. Dead letters: ${dead_letters}. Refused messages: ${refusals}. Spent: ${spent}.`,
  );
}

/** `switchboard tasks`: what was asked of whom, and how far it is. */
export function tasksCommand(): Command {
  return new Command("tasks")
    .description("list the tasks of the running team")
    .option("--all", "also those that have ended")
    .addOption(stateDirOption())
    .option("--json", "print one line of JSON for each")
    .action(async ({ json = false, all = false, ...place }: Flags) => {
      await using team = await connectTeam(place);
      const { tasks } = (await team.request("tasks", { all })) as { tasks: Task[] };
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

import { Command, Option } from "commander";
import type { TeamReader } from "../../team/core.ts";
import type { Task, TaskState } from "../../wire/team/task.ts";
import { TaskStateSchema } from "../../wire/team/task.ts";
import { oneLine } from "./one-line.ts";
import type { TeamPlace } from "./find-team.ts";
import { readTeam, stateDirOption, teamOption } from "./find-team.ts";
import { print, printJson, table } from "./print-for-people.ts";
import { noAgent, requestNamed } from "./request-by-id.ts";

interface Flags extends TeamPlace {
  json?: boolean;
  all?: boolean;
  state?: TaskState;
  agent?: string;
}

/** `switchboard tasks`: what was asked of whom, and how far it is. */
export function tasksCommand(): Command {
  return new Command("tasks")
    .description("list the tasks of a team")
    .option("--all", "also list tasks that have ended")
    .addOption(
      new Option("--state <state>", "list only tasks in this state, open or not").choices(
        TaskStateSchema.options,
      ),
    )
    .option("--agent <agent>", "list only tasks from this agent or to it")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print each task as one line of JSON")
    .action(async ({ json = false, ...flags }: Flags) => {
      await using team = await readTeam(flags, json);
      const tasks = await newest(team, flags);
      if (json) for (const task of tasks) printJson(task);
      else if (tasks.length === 0) print(flags.state ? "No tasks." : "No open tasks.");
      else showTasks(tasks);
    });
}

const SHOWN = 200;

/** Pages may be short when few tasks fit. */
async function newest(
  team: TeamReader,
  { all = false, state, agent }: Flags,
): Promise<readonly Task[]> {
  const filter = { all, ...(state && { state }), ...(agent !== undefined && { agent }) };
  const nobody = noAgent(
    agent ?? "",
    team.init.agents.map(({ id }) => id),
  );
  const found: Task[] = [];
  let before: string | undefined;
  do {
    const params = { ...filter, limit: SHOWN - found.length, ...(before && { before }) };
    const page = await requestNamed(team, "tasks", params, nobody);
    found.push(...page.tasks);
    ({ before } = page);
  } while (before !== undefined && found.length < SHOWN);
  return found;
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
        oneLine(title, 60),
      ]),
    ]),
  );

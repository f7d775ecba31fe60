import { Command } from "commander";
import { endLeftovers } from "../../team/find-and-connect.ts";
import type { TeamClient } from "../../team/core.ts";
import type { KnownTeam } from "../../team/find-and-connect.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamPlace } from "./find-team.ts";
import { connectOrFind, stateDirOption, teamOption } from "./find-team.ts";
import { print, printJson } from "./print-for-people.ts";

interface DownFlags extends TeamPlace {
  json?: boolean;
}

/** `switchboard down`: stops the team. */
export function downCommand(): Command {
  return new Command("down")
    .description("stop the running team")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print the outcome as one line of JSON")
    .action(async ({ json = false, ...place }: DownFlags) => {
      const { team, known } = await connectOrFind(place);
      const { outcome, text } = team ? await stop(team) : await endLeft(known);
      if (json) printJson(outcome);
      else print(text);
    });
}

interface Stopped {
  readonly outcome: object;
  readonly text: string;
}

async function stop(connected: TeamClient): Promise<Stopped> {
  await using team = connected;
  const { team: name, last_seq: since, log_id: logId } = team.init;
  const canceled = new Set<string>();
  await team.follow({ since, logId }, (item) => {
    if (item.type === "task_changed" && item.task.state === "canceled") canceled.add(item.task.id);
  });
  await team.request("down", {});
  await team.closed;
  return {
    outcome: { stopped: name, canceled: canceled.size },
    text: `The team ${name} is stopped.${cut(canceled.size)}`,
  };
}

/** Tasks that were not started are kept for the next start, so they are not counted. */
const cut = (tasks: number): string =>
  tasks === 0
    ? ""
    : ` ${tasks === 1 ? "A task" : `${tasks} tasks`} that agents worked on had to be canceled.`;

/** @throws `team_not_running` when nothing of the team is running. */
async function endLeft({ name, stateDir }: KnownTeam): Promise<Stopped> {
  const ended = await endLeftovers(stateDir);
  if (ended.length === 0) {
    throw errorOf("team_not_running", `The team ${name} is stopped already.`, {
      data: { state_dir: stateDir },
      hint: "There is nothing to stop.",
    });
  }
  const text = `The process of the team ${name} was gone, and these agents were still running: ${ended.join(", ")}. They are stopped now.`;
  return { outcome: { stopped: name, agents: ended }, text };
}

import { Command } from "commander";
import { USER } from "../../wire/team/reserved-senders.ts";
import type { TeamReader } from "../../team/core.ts";
import { errorOf } from "../../wire/errors.ts";
import type { MessageReport } from "../../wire/team/method-results.ts";
import type { CCMessage } from "../../wire/team/messages.ts";
import { noMessage, requestNamed } from "./request-by-id.ts";
import type { TeamPlace } from "./find-team.ts";
import { readTeam, stateDirOption, teamOption } from "./find-team.ts";
import { dayTime, print, printJson } from "./print-for-people.ts";

const examples = `
Examples:
  switchboard show           what you asked last, and the whole answer
  switchboard show TASK      a task with its answer; 'switchboard tasks --all'
                             lists the ids
  switchboard show MESSAGE   any message, by its id`;

interface ShowFlags extends TeamPlace {
  json?: boolean;
}

/** `switchboard show [ID]`: a message and its answers, whole. */
export function showCommand(): Command {
  return new Command("show")
    .description("show the whole text of a message or task, and its answer")
    .argument("[id]", "the id of a message or task (default: what you asked last)")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print it as one line of JSON")
    .addHelpText("after", examples)
    .action(async (given: string | undefined, { json = false, ...place }: ShowFlags) => {
      await using team = await readTeam(place, json);
      const id = given ?? (await lastAsked(team));
      const shown = await requestNamed(team, "message", { id }, noMessage(id));
      if (json) printJson(shown);
      else print(whole(shown));
    });
}

const LOOKED_AT = 1000;

async function lastAsked(team: TeamReader): Promise<string> {
  const { tasks } = await team.request("tasks", { all: true, limit: LOOKED_AT });
  const last = tasks.find(({ from_agent }) => from_agent === USER);
  if (last) return last.id;
  throw errorOf("unknown_request", "You have not asked this team anything yet.", {
    hint: "Ask with: switchboard send TEXT",
  });
}

function whole({ message, state, answers, answered }: MessageReport): string {
  const parts = [`${headOf(message)}, ${state}\n\n${message.content}`];
  if (answered) {
    const how = answered.failed ? "failed" : "answered";
    parts.push(`${answered.agent} ${how}, ${dayTime(answered.at)}\n\n${answered.text}`);
  }
  parts.push(...answers.map((answer) => `${headOf(answer)}\n\n${answer.content}`));
  return parts.map(withoutControls).join(`\n\n${"─".repeat(40)}\n`);
}

const headOf = ({ id, from_agent, to_agent, type, timestamp }: CCMessage): string =>
  `${from_agent} → ${to_agent}, ${type} ${id}, ${dayTime(timestamp)}`;

/** Lines and tabs stay; nothing is left that a terminal would obey. */
const withoutControls = (text: string): string => text.replaceAll(/(?![\n\t])\p{Cc}/gu, "�");

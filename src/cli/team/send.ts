import { randomUUID } from "node:crypto";
import { styleText } from "node:util";
import { Command, Option } from "commander";
import type { TeamClient, TeamItem } from "../../team/control/client.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamEventOf } from "../../wire/team-events.ts";
import type { Priority } from "../../wire/team.ts";
import { PrioritySchema } from "../../wire/team.ts";
import { Decisions } from "./decisions.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";
import { print, printJson } from "./print.ts";

const examples = `
Examples:
  switchboard send "Write a program that sorts names"     waits, and shows the lead's answer as it comes
  switchboard send --no-wait "Go on with the next one"    returns when the message is safe
  switchboard send --priority urgent "Stop that"          cuts the lead's running turn short`;

interface SendFlags extends TeamPlace {
  wait: boolean;
  priority: Priority;
  json?: boolean;
}

/** `switchboard send TEXT`: says something to the lead. */
export function sendCommand(): Command {
  return new Command("send")
    .description("say something to the team's lead, and wait for the answer")
    .argument("<text>", "what you want to say")
    .option("--no-wait", "do not wait for the answer")
    .addOption(
      new Option("--priority <priority>", "how pressing it is")
        .choices(PrioritySchema.options)
        .default("normal"),
    )
    .addOption(stateDirOption())
    .option("--json", "print the answer as one line of JSON")
    .addHelpText("after", examples)
    .action(send);
}

async function send(text: string, { wait, priority, json = false, ...place }: SendFlags) {
  await using team = await connectTeam(place);
  const id = randomUUID();
  const decisions = new Decisions(team, (line) => json || process.stderr.write(`${line}\n`));
  const answer = answerTo(id, team, json);
  // Nobody may be left to hear of it: the message may be refused, or nobody waits.
  answer.catch(() => {});
  await team.request("send", { text, id, priority });
  if (!wait) return json ? printJson({ id }) : print(`Accepted as ${id}.`);
  await decisions.watch();
  const { text: final, failed, agent } = await answer;
  if (json) printJson({ id, agent, failed, text: final });
  if (failed) {
    throw errorOf("execution_failed", json ? "The lead could not answer." : final, {
      hint: "'switchboard log --level WARN' tells more.",
    });
  }
  return undefined;
}

/** What it asks is shown as what it is: a question. */
const QUESTION = "AskUserQuestion";

/** Shows what the lead says while it works on this message, and gives back the answer. */
async function answerTo(
  id: string,
  team: TeamClient,
  json: boolean,
): Promise<TeamEventOf<"answered">> {
  const { lead } = team.init;
  const answered = Promise.withResolvers<TeamEventOf<"answered">>();
  // Pieces are told at once, the beginning of their turn when it is on the disk: so they may come first.
  const early = new Map<string, string>();
  let turn: string | undefined;
  let shown = "";
  const show = (text: string): void => {
    process.stdout.write(text);
    shown += text;
  };
  const stop = team.listen((item: TeamItem) => {
    if (item.type === "turn_started" && item.agent === lead && item.messages.includes(id)) {
      turn = item.turn_id;
      if (!json) show(early.get(turn) ?? "");
    }
    if (item.type === "delta" && item.agent === lead && item.turn_id !== undefined && !json) {
      if (item.turn_id === turn) show(item.text);
      else early.set(item.turn_id, (early.get(item.turn_id) ?? "") + item.text);
    }
    if (item.type === "tool_called" && item.agent === lead && !json && item.tool !== QUESTION) {
      if (shown !== "" && !shown.endsWith("\n")) process.stdout.write("\n");
      process.stdout.write(
        `${styleText("dim", `[${item.tool}] ${item.summary}`, { stream: process.stdout })}\n`,
      );
      shown = "";
    }
    if (item.type === "answered" && item.id === id) answered.resolve(item);
  });
  void team.closed.then(() =>
    answered.reject(errorOf("connection_lost", "The team was stopped before it answered.")),
  );
  try {
    const event = await answered.promise;
    if (!json && !event.failed) {
      if (shown.trim() === "") print(event.text);
      else if (!shown.endsWith("\n")) print("");
    }
    return event;
  } finally {
    stop();
  }
}

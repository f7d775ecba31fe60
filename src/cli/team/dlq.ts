import { Argument, Command } from "commander";
import type { DeadMessage } from "../../wire/team/method-results.ts";
import { errorOf } from "../../wire/errors.ts";
import { noDeadLetter, requestNamed } from "./request-by-id.ts";
import type { TeamPlace } from "./find-team.ts";
import { connectChosenTeam, readTeam, stateDirOption, teamOption } from "./find-team.ts";
import { clockTime, print, printJson, table } from "./print-for-people.ts";
import { oneLine } from "./one-line.ts";

const examples = `
Examples:
  switchboard dlq              list messages that could not be delivered
  switchboard dlq inspect ID   show one of them, with the reason
  switchboard dlq resend ID    send it again under a new id; its task restarts
  switchboard dlq discard ID   remove it from the list`;

const actions = ["list", "inspect", "resend", "discard"] as const;

interface DlqFlags extends TeamPlace {
  all?: boolean;
  json?: boolean;
}

/** `switchboard dlq`: messages that could not be delivered. */
export function dlqCommand(): Command {
  return new Command("dlq")
    .description("list undeliverable messages (dead letters); resend or discard one")
    .addArgument(new Argument("[action]", "what to do").choices(actions).default("list"))
    .argument("[id]", "the id of the dead letter to inspect, resend or discard")
    .option("--all", "also list those that were resent or discarded")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print each dead letter as one line of JSON")
    .addHelpText("after", examples)
    .action(dlq);
}

async function dlq(
  action: (typeof actions)[number],
  id: string | undefined,
  { all = false, json = false, ...place }: DlqFlags,
): Promise<void> {
  if (action !== "list" && id === undefined) {
    throw errorOf("invalid_params", `${action} needs the id of a dead letter.`, {
      hint: "'switchboard dlq' lists them.",
    });
  }
  const isChange = action === "resend" || action === "discard";
  await using team = isChange ? await connectChosenTeam(place) : await readTeam(place, json);
  const nobody = noDeadLetter(id ?? "");
  if (isChange) {
    const result = await requestNamed(team, action, { id: id ?? "" }, nobody);
    if (json) printJson(result);
    else print("id" in result ? `Sent again, as ${result.id}.` : "Put aside.");
    return;
  }
  const params = action === "inspect" && id !== undefined ? { id } : { all };
  const { dead_letters } = await requestNamed(team, "dead_letters", params, nobody);
  if (json) for (const letter of dead_letters) printJson(letter);
  else if (action === "inspect") for (const letter of dead_letters) showWhole(letter);
  else if (dead_letters.length === 0) print("No dead letters.");
  else showList(dead_letters);
}

const showList = (letters: readonly DeadMessage[]): void =>
  print(
    table([
      ["ID", "DIED", "FROM", "TO", "WHY", "CONTENT"],
      ...letters.map(({ message, died_at, why, cause, fate }) => [
        message.id,
        clockTime(died_at),
        message.from_agent,
        message.to_agent,
        oneLine(`${fate === "open" ? "" : `(${fate}) `}${whyOf({ why, cause })}`, 50),
        oneLine(message.content, 50),
      ]),
    ]),
  );

function showWhole(letter: DeadMessage): void {
  const { message, died_at, attempts, fate, resent_as } = letter;
  const { metadata } = message;
  print(
    table([
      ["Id", message.id],
      ["From", message.from_agent],
      ["To", message.to_agent],
      ["Type", message.type],
      ["Sent", message.timestamp],
      ["Died", new Date(died_at).toISOString()],
      ["Why", whyOf(letter)],
      ["Attempts", String(attempts)],
      ["Priority", metadata.priority],
      ["Time to live", metadata.ttl === null ? "none" : `${metadata.ttl} s`],
      ["Answers", message.reply_to ?? "nothing"],
      ["Since then", fate === "resent" ? `sent again as ${resent_as}` : fate],
    ]),
  );
  print(`\n${message.content}`);
}

const whyOf = ({ why, cause }: Pick<DeadMessage, "why" | "cause">): string =>
  cause === "expired" ? "its time to live was over" : why || cause;

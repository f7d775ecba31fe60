import { Argument, Command } from "commander";
import type { DeadLetter } from "../../bus/bus.ts";
import { errorOf } from "../../wire/errors.ts";
import { noDeadLetter, requestNamed } from "./named.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";
import { clockTime, print, printJson, table } from "./print.ts";
import { brief } from "./brief.ts";

const examples = `
Examples:
  switchboard dlq                  the messages that could not be delivered, and why
  switchboard dlq inspect ID       one of them, whole
  switchboard dlq resend ID        send it again; it gets a new id, and its task begins anew
  switchboard dlq discard ID       put it aside`;

const actions = ["list", "inspect", "resend", "discard"] as const;

interface DlqFlags extends TeamPlace {
  all?: boolean;
  json?: boolean;
}

/** `switchboard dlq`: messages that could not be delivered. */
export function dlqCommand(): Command {
  return new Command("dlq")
    .description("show dead letters, send one again, or put one aside")
    .addArgument(new Argument("[action]", "what to do").choices(actions).default("list"))
    .argument("[id]", "the dead letter to inspect, to send again or to put aside")
    .option("--all", "also those that were dealt with")
    .addOption(stateDirOption())
    .option("--json", "print one line of JSON for each")
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
  await using team = await connectTeam(place);
  const nobody = noDeadLetter(id ?? "");
  if (action === "resend" || action === "discard") {
    const result = (await requestNamed(team, action, { id: id ?? "" }, nobody)) as {
      id?: string;
    };
    if (json) printJson(result);
    else print(action === "resend" ? `Sent again, as ${result.id}.` : "Put aside.");
    return;
  }
  const params = action === "inspect" && id !== undefined ? { id } : { all };
  const { dead_letters } = (await requestNamed(team, "dead_letters", params, nobody)) as {
    dead_letters: DeadLetter[];
  };
  if (json) for (const letter of dead_letters) printJson(letter);
  else if (action === "inspect") for (const letter of dead_letters) showWhole(letter);
  else if (dead_letters.length === 0) print("No dead letters.");
  else showList(dead_letters);
}

const showList = (letters: readonly DeadLetter[]): void =>
  print(
    table([
      ["ID", "DIED", "FROM", "TO", "WHY", "CONTENT"],
      ...letters.map(({ message, diedAt, why, cause, fate }) => [
        message.id,
        clockTime(diedAt),
        message.from_agent,
        message.to_agent,
        brief(`${fate === "open" ? "" : `(${fate}) `}${whyOf({ why, cause })}`, 50),
        brief(message.content, 50),
      ]),
    ]),
  );

function showWhole(letter: DeadLetter): void {
  const { message, diedAt, attempts, fate, resentAs } = letter;
  const { metadata } = message;
  print(
    table([
      ["Id", message.id],
      ["From", message.from_agent],
      ["To", message.to_agent],
      ["Type", message.type],
      ["Sent", message.timestamp],
      ["Died", new Date(diedAt).toISOString()],
      ["Why", whyOf(letter)],
      ["Attempts", String(attempts)],
      ["Priority", metadata.priority],
      ["Time to live", metadata.ttl === null ? "none" : `${metadata.ttl} s`],
      ["Answers", message.reply_to ?? "nothing"],
      ["Since then", fate === "resent" ? `sent again as ${resentAs}` : fate],
    ]),
  );
  print(`\n${message.content}`);
}

const whyOf = ({ why, cause }: Pick<DeadLetter, "why" | "cause">): string =>
  cause === "expired" ? "its time to live was over" : why || cause;

import { Command, Option } from "commander";
import type { DeadLetter } from "../../bus/bus.ts";
import type { CommunicationEntry } from "../../team/record/communication.ts";
import { toCsv } from "../../team/record/communication.ts";
import type { CommunicationLogLevel } from "../../wire/communication-log.ts";
import { CommunicationLogLevelSchema } from "../../wire/communication-log.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";
import { print, printJson, table } from "./print.ts";
import { brief } from "./timeline-line.ts";

interface LogFlags extends TeamPlace {
  level: CommunicationLogLevel;
  from?: string;
  to?: string;
  limit: string;
  csv?: boolean;
  json?: boolean;
}

/** `switchboard log`: the communication log, newest last. */
export function logCommand(): Command {
  return new Command("log")
    .description("show which messages went between agents, and what became of them")
    .addOption(
      new Option("--level <level>", "this level and those above it")
        .choices(CommunicationLogLevelSchema.options)
        .default("INFO"),
    )
    .option("--from <agent>", "only from this agent")
    .option("--to <agent>", "only to this agent")
    .option("--limit <n>", "at most so many, the newest", "200")
    .option("--csv", "as a table for spreadsheets")
    .addOption(stateDirOption())
    .option("--json", "print one line of JSON for each")
    .action(log);
}

async function log({ level, from, to, limit, csv, json, ...place }: LogFlags): Promise<void> {
  await using team = await connectTeam(place);
  const { entries } = (await team.request("log", {
    level,
    limit: Number(limit),
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
  })) as { entries: CommunicationEntry[] };
  const oldestFirst = entries.toReversed();
  if (csv === true) process.stdout.write(toCsv(oldestFirst));
  else if (json === true) for (const entry of oldestFirst) printJson(entry);
  else if (oldestFirst.length === 0) print("No messages at this level.");
  else showLog(oldestFirst);
}

const showLog = (entries: readonly CommunicationEntry[]): void =>
  print(
    table([
      ["TIME", "LEVEL", "FROM", "TO", "TYPE", "BYTES", "MS", "OUTCOME"],
      ...entries.map((entry) => [
        entry.timestamp.slice(11, 19),
        entry.level,
        entry.from_agent,
        entry.to_agent,
        entry.message_type,
        String(entry.message_size),
        entry.duration_ms === null ? "" : String(Math.round(entry.duration_ms)),
        entry.success ? "delivered" : brief(entry.error ?? "", 70),
      ]),
    ]),
  );

interface DlqFlags extends TeamPlace {
  all?: boolean;
  json?: boolean;
}

/** `switchboard dlq`: messages that could not be delivered. */
export function dlqCommand(): Command {
  return new Command("dlq")
    .description("show dead letters, send one again, or put one aside")
    .argument("[action]", "list, resend or discard", "list")
    .argument("[id]", "the dead letter to send again or to put aside")
    .option("--all", "also those that were dealt with")
    .addOption(stateDirOption())
    .option("--json", "print one line of JSON for each")
    .addHelpText("after", "\nA dead letter that is sent again gets a new id.")
    .action(dlq);
}

async function dlq(
  action: string,
  id: string | undefined,
  { all = false, json = false, ...place }: DlqFlags,
): Promise<void> {
  await using team = await connectTeam(place);
  if (action === "resend" || action === "discard") {
    const result = await team.request(action, { id: id ?? "" });
    if (json) printJson(result);
    else print(action === "resend" ? "Sent again." : "Put aside.");
    return;
  }
  const { dead_letters } = (await team.request("dead_letters", { all })) as {
    dead_letters: DeadLetter[];
  };
  if (json) for (const letter of dead_letters) printJson(letter);
  else if (dead_letters.length === 0) print("No dead letters.");
  else showDeadLetters(dead_letters);
}

const showDeadLetters = (letters: readonly DeadLetter[]): void =>
  print(
    table([
      ["ID", "FROM", "TO", "WHY", "CONTENT"],
      ...letters.map(({ message, why, cause }) => [
        message.id,
        message.from_agent,
        message.to_agent,
        brief(why || cause, 50),
        brief(message.content, 50),
      ]),
    ]),
  );

/** `switchboard cancel TASK`: takes a task back. */
export function cancelCommand(): Command {
  return new Command("cancel")
    .description("take a task back, with all its parts")
    .argument("<task>", "as 'switchboard tasks' lists it")
    .addOption(stateDirOption())
    .action(async (task: string, { json = false, ...place }: DlqFlags) => {
      await using team = await connectTeam(place);
      const result = await team.request("cancel", { task });
      if (json) printJson(result);
      else print("Canceled.");
    });
}

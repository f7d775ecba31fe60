import { Command, Option } from "commander";
import type { TeamClient } from "../../team/control/client.ts";
import { SWITCHBOARD, USER } from "../../team/messages/user.ts";
import type { CommunicationEntry, CommunicationPage } from "../../team/record/communication.ts";
import { toCsv } from "../../team/record/communication.ts";
import type { CommunicationLogLevel } from "../../wire/communication-log.ts";
import { CommunicationLogLevelSchema } from "../../wire/communication-log.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { MessageType } from "../../wire/team.ts";
import { MessageTypeSchema } from "../../wire/team.ts";
import { listenForInterruption } from "../interruption.ts";
import { noAgent, requestNamed } from "./named.ts";
import type { TeamPlace } from "./place.ts";
import { connectTeam, stateDirOption } from "./place.ts";
import { clockTime, positiveNumber, print, printJson, table } from "./print.ts";
import { brief } from "./brief.ts";

const examples = `
Examples:
  switchboard log                          the newest messages, and what became of them
  switchboard log --level WARN --follow    what goes wrong, as it happens; Ctrl+C ends it
  switchboard log --csv > messages.csv     all of it, for a spreadsheet`;

interface LogFlags extends TeamPlace {
  level: CommunicationLogLevel;
  from?: string;
  to?: string;
  type?: MessageType;
  limit?: number;
  follow?: boolean;
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
    .addOption(
      new Option("--type <type>", "only messages of this type").choices(MessageTypeSchema.options),
    )
    .option(
      "--limit <n>",
      "at most so many, the newest (default: 200; all with --csv or --json, unless --follow)",
      positiveNumber,
    )
    .option("--follow", "go on with what comes, until Ctrl+C or the team's end")
    .option("--csv", "as a table for spreadsheets")
    .addOption(stateDirOption())
    .option("--json", "print one line of JSON for each")
    .addHelpText("after", examples)
    .action(log);
}

async function log(flags: LogFlags): Promise<void> {
  await using team = await connectTeam(flags);
  for (const name of [flags.from, flags.to]) await mustBeKnown(team, name);
  const entries = await newest(team, flags, flags.limit ?? defaultLimit(flags));
  if (entries.length === 0 && flags.follow !== true && !flags.csv && !flags.json) {
    print("No such messages.");
    return;
  }
  show(entries, flags, true);
  if (flags.follow === true) await follow(team, flags, entries);
}

/** In this team or, for what was before, in the log. */
async function mustBeKnown(team: TeamClient, name: string | undefined): Promise<void> {
  const ids = team.init.agents.map(({ id }) => id);
  if (name === undefined || [...ids, USER, SWITCHBOARD].includes(name)) return;
  const nobody = noAgent(name, ids);
  for (const side of ["from", "to"] as const) {
    const params = { level: "DEBUG", [side]: name, limit: 1 } as const;
    const page = (await requestNamed(team, "log", params, nobody)) as CommunicationPage;
    if (page.entries.length > 0) return;
  }
  throw nobody;
}

const SHOWN = 200;

/** A person reads some, a program wants all. */
const defaultLimit = (flags: LogFlags): number =>
  (flags.csv === true || flags.json === true) && flags.follow !== true ? Infinity : SHOWN;

const FOLLOW_MS = 400;

async function follow(
  team: TeamClient,
  flags: LogFlags,
  shown: readonly CommunicationEntry[],
): Promise<void> {
  using interruption = listenForInterruption();
  const ended = Promise.race([team.closed, interruption.first]).then(() => true);
  let last = shown.at(-1)?.id;
  while (!(await Promise.race([ended, nextLook()]))) {
    const news = await newest(team, flags, Infinity, last).catch(whenTheTeamHasEnded);
    show(news, flags, false);
    last = news.at(-1)?.id ?? last;
  }
}

function whenTheTeamHasEnded(error: unknown): CommunicationEntry[] {
  if (error instanceof ClaudeCodeError && error.code === "connection_lost") return [];
  throw error;
}

const nextLook = (): Promise<boolean> =>
  new Promise((resolve) => setTimeout(() => resolve(false), FOLLOW_MS));

const PAGE = 1000;

/** So many of the newest, or those after one that is known; the oldest of them first. */
async function newest(
  team: TeamClient,
  { level, from, to, type }: LogFlags,
  limit: number,
  after?: string,
): Promise<CommunicationEntry[]> {
  const found: CommunicationEntry[] = [];
  let before: string | undefined;
  do {
    const page = (await team.request("log", {
      level,
      limit: Math.min(PAGE, limit - found.length),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(type !== undefined && { type }),
      ...(before !== undefined && { before }),
    })) as CommunicationPage;
    const known = page.entries.findIndex(({ id }) => id === after);
    found.push(...(known < 0 ? page.entries : page.entries.slice(0, known)));
    before = known < 0 ? page.before : undefined;
  } while (before !== undefined && found.length < limit);
  return found.toReversed();
}

function show(entries: readonly CommunicationEntry[], flags: LogFlags, withHead: boolean): void {
  const { csv = false, json = false } = flags;
  if (entries.length === 0 && !withHead) return;
  if (csv) process.stdout.write(toCsv(entries, { withHead }));
  else if (json) for (const entry of entries) printJson(entry);
  else print(asTable(entries, withHead));
}

const head = ["TIME", "LEVEL", "FROM", "TO", "TYPE", "BYTES", "MS", "OUTCOME"];

function asTable(entries: readonly CommunicationEntry[], withHead: boolean): string {
  const rows = entries.map((entry) => [
    clockTime(entry.timestamp),
    entry.level,
    entry.from_agent,
    entry.to_agent,
    entry.message_type,
    String(entry.message_size),
    entry.duration_ms === null ? "" : String(Math.round(entry.duration_ms)),
    entry.success ? "delivered" : brief(entry.error ?? "", 70),
  ]);
  return table([...(withHead ? [head] : []), ...rows], MIN_WIDTHS);
}

/** So that what follows stands below what was there. */
const MIN_WIDTHS = [8, 5, 16, 16, 13, 6, 6];

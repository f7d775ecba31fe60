import { Command, Option } from "commander";
import type { TeamReader } from "../../team/core.ts";
import { SWITCHBOARD, USER } from "../../wire/team/reserved-senders.ts";
import type { CommunicationEntry } from "../../wire/team/method-results.ts";
import type { CommunicationLogLevel } from "../../wire/team/communication-log.ts";
import { CommunicationLogLevelSchema } from "../../wire/team/communication-log.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import type { MessageType } from "../../wire/team/messages.ts";
import { MessageTypeSchema } from "../../wire/team/messages.ts";
import { toCsv } from "../../wire/team/communication-csv.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";
import { noAgent, requestNamed, words } from "./request-by-id.ts";
import type { TeamPlace } from "./find-team.ts";
import { readTeam, stateDirOption, teamOption } from "./find-team.ts";
import { clockTime, positiveNumber, print, printJson, table } from "./print-for-people.ts";
import { oneLine } from "./one-line.ts";
import { pastTime } from "./parse-past-time.ts";

const examples = `
Examples:
  switchboard log                         the newest messages with their outcome
  switchboard log --level WARN --follow   problems, as they happen
  switchboard log --since 2h --search api 'api' in the last two hours
  switchboard log --csv > messages.csv    all messages, for a spreadsheet`;

interface LogFlags extends TeamPlace {
  level: CommunicationLogLevel;
  from?: string;
  to?: string;
  type?: MessageType;
  since?: string;
  until?: string;
  search?: string;
  limit?: number;
  follow?: boolean;
  csv?: boolean;
  json?: boolean;
}

/** `switchboard log`: the communication log, newest last. */
export function logCommand(): Command {
  return new Command("log")
    .description("list the messages between agents with their outcome")
    .addOption(
      new Option("--level <level>", "show this level and more severe ones")
        .choices(CommunicationLogLevelSchema.options)
        .default("INFO"),
    )
    .option("--from <agent>", "show only messages from this agent")
    .option("--to <agent>", "show only messages to this agent")
    .addOption(
      new Option("--type <type>", "show only messages of this type").choices(
        MessageTypeSchema.options,
      ),
    )
    .option(
      "--since <time>",
      "show only messages since this time: 2h for two hours ago, or a date",
      pastTime,
    )
    .option("--until <time>", "show only messages until this time", pastTime)
    .option("--search <text>", "show only messages, errors and changed calls with this text", words)
    .option(
      "--limit <n>",
      "show the newest N (default: 200; with --csv or --json all, except with --follow)",
      positiveNumber,
    )
    .option("--follow", "keep showing new messages, until Ctrl+C or the team ends")
    .option("--csv", "print a table for spreadsheets")
    .addOption(teamOption())
    .addOption(stateDirOption())
    .option("--json", "print each message as one line of JSON")
    .addHelpText("after", examples)
    .action(log);
}

async function log(flags: LogFlags): Promise<void> {
  await using team = await readTeam(flags, flags.json);
  for (const name of [flags.from, flags.to]) await mustBeKnown(team, name);
  const entries = await newest(team, flags, flags.limit ?? defaultLimit(flags));
  if (entries.length === 0 && flags.follow !== true && !flags.csv && !flags.json) {
    print("No message matches.");
    return;
  }
  show(entries, flags, true);
  if (flags.follow === true) await follow(team, flags, entries);
}

/** In this team or, for earlier agents, in the log. */
async function mustBeKnown(team: TeamReader, name: string | undefined): Promise<void> {
  const ids = team.init.agents.map(({ id }) => id);
  if (name === undefined || [...ids, USER, SWITCHBOARD].includes(name)) return;
  const nobody = noAgent(name, ids);
  for (const side of ["from", "to"] as const) {
    const params = { level: "DEBUG", [side]: name, limit: 1 } as const;
    const page = await requestNamed(team, "log", params, nobody);
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
  team: TeamReader,
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

/** The newest entries, or those after a known one; oldest first. */
async function newest(
  team: TeamReader,
  { level, from, to, type, since, until, search }: LogFlags,
  limit: number,
  after?: string,
): Promise<CommunicationEntry[]> {
  const found: CommunicationEntry[] = [];
  let before: string | undefined;
  do {
    const page = await team.request("log", {
      level,
      limit: Math.min(PAGE, limit - found.length),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      ...(type !== undefined && { type }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(search !== undefined && { text: search }),
      ...(before !== undefined && { before }),
    });
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
    outcomeOf(entry),
  ]);
  return table([...(withHead ? [head] : []), ...rows], MIN_WIDTHS);
}

function outcomeOf({ success, error, note }: CommunicationEntry): string {
  // Two calls, each cut already.
  if (note !== undefined) return oneLine(note, 300);
  return success ? "delivered" : oneLine(error ?? "", 70);
}

/** So that later rows align with earlier ones. */
const MIN_WIDTHS = [8, 5, 16, 16, 13, 6, 6];

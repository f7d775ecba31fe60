import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { userName } from "../../proc/current-user.ts";
import { userStateDirectory } from "../../session/stored-sessions.ts";
import {
  chooseTeam,
  connectTeam,
  controlSocket,
  knownTeam,
  knownTeams,
  openStoppedTeam,
  realDirectory,
  withProbe,
} from "../../team/find-and-connect.ts";
import type { TeamClient, TeamClientOptions, TeamReader } from "../../team/core.ts";
import type { KnownTeam } from "../../team/find-and-connect.ts";
import type { ErrorCode } from "../../wire/error-table.ts";
import { ClaudeCodeError } from "../../wire/errors.ts";
import { noTeam, severalTeams, stoppedLine, stoppedTeam } from "./absent-team-errors.ts";

/** Which team a person means. */
export interface TeamPlace {
  team?: string;
  stateDir?: string;
}

export const teamOption = (): Option =>
  new Option(
    "--team <name>",
    "use the team with this name (default: the team of this directory, or the one that runs)",
  ).env("SWITCHBOARD_TEAM");

export const stateDirOption = (): Option =>
  new Option("--state-dir <dir>", "use the team with this state directory");

export const teamsDirectory = (): string => join(userStateDirectory(), "teams");

/** The named state directory; a name with a slash is a path. */
export function namedStateDir({ team, stateDir }: TeamPlace): string | undefined {
  const path = stateDir ?? (team?.includes("/") === true ? team : undefined);
  return path === undefined ? undefined : resolve(path);
}

/** The running team, or the stopped one that was meant. */
export async function connectOrFind(
  place: TeamPlace,
): Promise<{ readonly team?: TeamClient; readonly known: KnownTeam }> {
  const known = await findTeam(place);
  try {
    return { team: await connectTo(known), known };
  } catch (error) {
    if (!hasCode(error, "team_not_running")) throw error;
    return { known };
  }
}

/** Connects to a team that is running. @throws `team_not_running`; `invalid_params` when several could be meant. */
export async function connectChosenTeam(place: TeamPlace): Promise<TeamClient> {
  return connectTo(await findTeam(place));
}

/**
 * A reader of a team: its process, or what it wrote before it was stopped.
 *
 * @param quiet do not mention that the team is stopped.
 * @throws as `connectTeam`, except for a stopped team.
 */
export async function readTeam(place: TeamPlace, quiet = false): Promise<TeamReader> {
  const team = await findTeam(place);
  try {
    return await connectTo(team);
  } catch (error) {
    if (!hasCode(error, "team_not_running")) throw error;
    if (!existsSync(join(team.stateDir, "bus.db"))) throw error;
  }
  const stopped = await openStoppedTeam(team.stateDir).catch((error: unknown) => {
    // It was started meanwhile.
    if (hasCode(error, "bus_in_use")) return connectTo(team);
    throw error;
  });
  if (!quiet) process.stderr.write(`${stoppedLine(stopped.init, team)}\n`);
  return stopped;
}

async function connectTo(
  team: KnownTeam,
  options: TeamClientOptions = oneConnection,
): Promise<TeamClient> {
  const socket = controlSocket(team.stateDir);
  return connectTeam(socket, { name: `${userName()} (command line)`, ...options }).catch(
    (error: unknown) => {
      throw hasCode(error, "team_not_running") ? stoppedTeam(team, error) : error;
    },
  );
}

/** A command tells the person when the connection is lost, instead of waiting for the next one. */
export const oneConnection = {
  policy: { tries: 0, firstDelayMs: 0, maxDelayMs: 0, factor: 1 },
} as const;

/** How long a team whose process has ended may take to come back: 30 s. */
const comeback = {
  policy: { tries: 150, firstDelayMs: 200, maxDelayMs: 200, factor: 1 },
} as const;

/**
 * Connects to a team that is running. The connection outlives the team's process: the next one continues it.
 *
 * @param onConnection is called when the connection is lost, and when it is there again.
 * @throws as `connectChosenTeam`.
 */
export async function connectThroughRestarts(
  place: TeamPlace,
  onConnection: TeamClientOptions["onConnection"],
): Promise<TeamClient> {
  return connectTo(await findTeam(place), { ...comeback, ...(onConnection && { onConnection }) });
}

/** The same, for a program that has a name of its own in records of who decided. */
export async function connectUnderName(place: TeamPlace, name: string): Promise<TeamClient> {
  return connectTo(await findTeam(place), { ...comeback, name });
}

const hasCode = (error: unknown, code: ErrorCode): boolean =>
  error instanceof ClaudeCodeError && error.code === code;

/**
 * The team that a person means. @throws `team_not_running` when there is none; `invalid_params` when there are
 * several.
 */
export async function findTeam(place: TeamPlace): Promise<KnownTeam> {
  const stateDir = namedStateDir(place);
  if (stateDir !== undefined) return knownTeam(stateDir, stateDir);
  const cwd = realDirectory(process.cwd());
  const teams = await Promise.all(knownTeams(teamsDirectory(), cwd).map(withProbe));
  const { team: name } = place;
  const choice = chooseTeam(teams, { name, cwd });
  if (choice.kind === "one") return choice.team;
  if (choice.kind === "several") throw severalTeams(choice.teams, name);
  throw noTeam(teams, name, cwd);
}

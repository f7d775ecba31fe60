import { existsSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Option } from "commander";
import { probeSocket } from "../../net/probe.ts";
import { userStateDirectory } from "../../session/place/state-directory.ts";
import { TeamClient } from "../../team/control/client.ts";
import { controlSocket } from "../../team/up.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";

export interface TeamPlace {
  stateDir?: string;
}

export const stateDirOption = (otherwise = "the team that is running"): Option =>
  new Option("--state-dir <dir>", `the team's state directory (default: ${otherwise})`).env(
    "SWITCHBOARD_TEAM",
  );

const teamsDirectory = (): string => join(userStateDirectory(), "teams");

/** Where a team of this name keeps its state, unless told otherwise. */
export const stateDirOf = (name: string, { stateDir }: TeamPlace): string =>
  stateDir === undefined ? join(teamsDirectory(), name) : resolve(stateDir);

/** Connects to the team that is running. @throws `team_not_running`, `invalid_params` when several are. */
export async function connectTeam(place: TeamPlace): Promise<TeamClient> {
  return connectTo(await runningSocket(place));
}

const connectTo = (socket: string): Promise<TeamClient> =>
  TeamClient.connect(socket, `${userInfo().username} (command line)`);

/** So long a team whose process has ended may take to come back. */
const COMEBACK_MS = 30_000;
const COMEBACK_POLL_MS = 200;

/**
 * Talks with the team that is running. When the connection is lost, the talk is held again with the
 * team's next process.
 *
 * @throws what the talk throws; `connection_lost` when no process comes.
 */
export async function throughRestarts<Outcome>(
  place: TeamPlace,
  talk: (team: TeamClient) => Promise<Outcome>,
  onLost: () => void,
): Promise<Outcome> {
  const socket = await runningSocket(place);
  let connecting = connectTo(socket);
  for (;;) {
    await using team = await connecting;
    try {
      return await talk(team);
    } catch (error) {
      if (!isLost(error)) throw error;
      onLost();
      connecting = comeBack(socket, error);
    }
  }
}

const isLost = (error: unknown): boolean =>
  error instanceof ClaudeCodeError && error.code === "connection_lost";

async function comeBack(socket: string, lost: unknown): Promise<TeamClient> {
  const untilMs = performance.now() + COMEBACK_MS;
  while (performance.now() < untilMs) {
    try {
      return await connectTo(socket);
    } catch {
      await delay(COMEBACK_POLL_MS);
    }
  }
  throw lost;
}

async function runningSocket({ stateDir }: TeamPlace): Promise<string> {
  if (stateDir !== undefined) return controlSocket(resolve(stateDir));
  const directory = teamsDirectory();
  const names = existsSync(directory) ? readdirSync(directory) : [];
  const running: string[] = [];
  for (const name of names) {
    const { state } = await probeSocket(controlSocket(join(directory, name)));
    if (state === "alive") running.push(name);
  }
  const [only, ...others] = running;
  if (only === undefined) throw errorOf("team_not_running", "No team is running.");
  if (others.length > 0) {
    throw errorOf("invalid_params", `Several teams are running: ${running.join(", ")}.`, {
      hint: `Name one: --state-dir ${join(directory, only)}`,
    });
  }
  return controlSocket(join(directory, only));
}

import { existsSync, readdirSync } from "node:fs";
import { userInfo } from "node:os";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { probeSocket } from "../../net/probe.ts";
import { userStateDirectory } from "../../session/place/state-directory.ts";
import { TeamClient } from "../../team/control/client.ts";
import { controlSocket } from "../../team/up.ts";
import { errorOf } from "../../wire/errors.ts";

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
  return TeamClient.connect(await runningSocket(place), `${userInfo().username} (command line)`);
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

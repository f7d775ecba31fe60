import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ReadStatus } from "../../team/core.ts";
import type { KnownTeam, ProbedTeam } from "../../team/find-and-connect.ts";
import { errorOf } from "../../wire/errors.ts";
import { dayTime, table } from "./print-for-people.ts";

// Errors for a team that is not there, or is ambiguous.

/** That a team is stopped, whose it is, when it was last seen, and which of its agents still run. */
export const stoppedLine = (init: ReadStatus, { note }: KnownTeam): string => {
  const whose = note === undefined ? "" : ` of ${note.directory}`;
  const last = init.last_at === undefined ? "" : `; last seen ${dayTime(init.last_at)}`;
  const left = leftRunning(init);
  const life = left.length === 0 ? "is stopped" : `has no process, and ${stillRun(left)}`;
  const next = left.length === 0 ? "" : ` ${LEFT_HINT}`;
  return `The team ${init.team}${whose} ${life}${last}.${next}`;
};

/** The agents that have outlived the process of their team. */
export const leftRunning = ({ pid, agents }: ReadStatus): string[] =>
  pid === undefined ? agents.filter((agent) => agent.pid !== undefined).map(({ id }) => id) : [];

export const stillRun = (agents: readonly string[]): string =>
  `these agents still run: ${agents.join(", ")}`;

export const LEFT_HINT = "'switchboard up' takes them over; 'switchboard down' ends them.";

/** What a person can do about a team that is not running. */
export function stoppedTeam({ name, stateDir, note }: KnownTeam, cause: unknown) {
  if (!note) return cause;
  const { directory, file = "TEAM.yaml", rehearsal } = note;
  const model = rehearsal === undefined ? "" : ` --rehearsal ${inShell(rehearsal)}`;
  const hasRun = existsSync(join(stateDir, "bus.db"));
  const is = hasRun ? "is stopped" : "has never run: its first start failed";
  return errorOf("team_not_running", `The team ${name} of ${directory} ${is}.`, {
    data: { state_dir: stateDir },
    cause,
    hint: `Start it with: cd ${inShell(directory)} && switchboard up ${inShell(file)}${model}`,
  });
}

/** A word that a shell reads as it is written here. */
const inShell = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

export function severalTeams(teams: readonly ProbedTeam[], name: string | undefined) {
  const which = name === undefined ? "" : ` named ${name}`;
  return errorOf("invalid_params", `There are several teams${which}:\n${listOf(teams)}`, {
    hint: "Go to the directory of one of them, or name it with --team or --state-dir.",
  });
}

export function noTeam(teams: readonly ProbedTeam[], name: string | undefined, cwd: string) {
  if (name === undefined) {
    return errorOf("team_not_running", `No team is running, and none belongs to ${cwd}.`);
  }
  const known = teams.length === 0 ? "" : ` Known teams:\n${listOf(teams)}`;
  return errorOf("team_not_running", `There is no team named ${name}.${known}`);
}

const listOf = (teams: readonly ProbedTeam[]): string =>
  table(
    teams.map(({ name, isRunning, directories, stateDir }) => [
      `  ${name}`,
      isRunning ? "running" : "stopped",
      directories.join(", ") || "(directory unknown)",
      `--state-dir ${stateDir}`,
    ]),
  );

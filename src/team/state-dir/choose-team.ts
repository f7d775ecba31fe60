import { isWithin } from "./is-within.ts";
import type { ProbedTeam } from "./known-teams.ts";

/** Which team a command means. */
export type TeamChoice =
  | { readonly kind: "one"; readonly team: ProbedTeam; readonly isHere: boolean }
  | { readonly kind: "several"; readonly teams: readonly ProbedTeam[] }
  | { readonly kind: "none" };

export interface WantedTeam {
  /** Any team when it is undefined. */
  readonly name: string | undefined;
  /** The directory of the person. Absolute, without links. */
  readonly cwd: string;
}

/**
 * A team of the directory that the person is in, or of the nearest one above it; else the one that runs. Only a
 * team that was named is found from elsewhere when it is stopped.
 */
export function chooseTeam(teams: readonly ProbedTeam[], { name, cwd }: WantedTeam): TeamChoice {
  const pool = teams.filter((team) => name === undefined || team.name === name);
  const here = nearest(pool, cwd);
  if (here.length > 0) return runningFirst(here, true);
  const running = pool.filter(({ isRunning }) => isRunning);
  return name === undefined ? only(running, false) : runningFirst(pool, false);
}

/** Of the directories that hold `cwd`, the deepest one's teams. */
function nearest(teams: readonly ProbedTeam[], cwd: string): ProbedTeam[] {
  const depth = ({ directories }: ProbedTeam): number =>
    Math.max(
      0,
      ...directories
        .filter((directory) => isWithin(cwd, directory))
        .map((directory) => directory.length),
    );
  const deepest = Math.max(0, ...teams.map(depth));
  return deepest === 0 ? [] : teams.filter((team) => depth(team) === deepest);
}

function runningFirst(teams: readonly ProbedTeam[], isHere: boolean): TeamChoice {
  const running = teams.filter(({ isRunning }) => isRunning);
  return only(running.length > 0 ? running : teams, isHere);
}

function only(teams: readonly ProbedTeam[], isHere: boolean): TeamChoice {
  const [team, ...others] = teams;
  if (!team) return { kind: "none" };
  return others.length > 0 ? { kind: "several", teams } : { kind: "one", team, isHere };
}

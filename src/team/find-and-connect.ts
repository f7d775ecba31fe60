// The door for programs that find a team of this machine and talk to it, or read it while it is stopped. It loads
// nothing of what runs a team, so that a command which only asks starts quickly.
import type { StoppedTeam } from "./control/stopped-team.ts";

export { connectTeam } from "./client/connect-team.ts";
export type { ConnectTeamOptions } from "./client/connect-team.ts";
export { chooseTeam } from "./state-dir/choose-team.ts";
export { controlSocket } from "./state-dir/control-socket-path.ts";
export type { KnownTeam, ProbedTeam } from "./state-dir/known-teams.ts";
export { knownTeam, knownTeams, withProbe } from "./state-dir/known-teams.ts";
export { realDirectory } from "./state-dir/project-of-state-dir.ts";
export type { StateChoice } from "./state-dir/choose-state-dir.ts";
export { stateFor } from "./state-dir/choose-state-dir.ts";

/**
 * Ends what a killed process of the team has left running.
 *
 * @returns the agents that were still running.
 * @throws `team_running` when a process of the team is there.
 */
export async function endLeftovers(stateDir: string): Promise<string[]> {
  // Loaded only when needed: few teams are killed.
  const stored = await import("./stored-team.ts");
  return stored.endLeftovers(stateDir);
}

/**
 * Opens what a stopped team has stored, for reading.
 *
 * @throws `team_not_running` when there is nothing; `bus_in_use` when a process has just started.
 */
export async function openStoppedTeam(stateDir: string): Promise<StoppedTeam> {
  // Loaded only when needed: a running team is asked through its process.
  const stored = await import("./stored-team.ts");
  return stored.openStoppedTeam(stateDir);
}

import { join } from "node:path";
import { checkCredentials } from "./agents/credentials.ts";
import type { ControlServer } from "./control/server.ts";
import { openControl } from "./control/server.ts";
import type { Team } from "./file/team.ts";
import { startTeamRehearsal } from "./rehearsal-process.ts";
import { RunningTeam } from "./running-team.ts";

export interface UpOptions {
  readonly team: Team;
  /** Absolute, and nobody else's. */
  readonly stateDir: string;
  /** A script that plays the model. */
  readonly rehearsal?: string;
  readonly version: string;
}

export interface TeamUp {
  readonly team: RunningTeam;
  readonly socket: string;
  /** A client asked for the end; the name of that client. */
  readonly downAsked: Promise<string>;
  /** Ends everything, in bounded time. */
  down(by?: string): Promise<void>;
}

export const controlSocket = (stateDir: string): string => join(stateDir, "team.sock");

/**
 * Brings a team up. Resolves when it can be talked to; its agents come up meanwhile.
 *
 * @throws `team_running`; `no_credentials`; `script_invalid`; `team_invalid` for a working directory.
 */
export async function bringTeamUp(options: UpOptions): Promise<TeamUp> {
  const { team, stateDir, rehearsal, version } = options;
  const downAsked = Promise.withResolvers<string>();
  const control: ControlServer = await openControl({
    path: controlSocket(stateDir),
    version,
    onDown: downAsked.resolve,
  });
  const undo: (() => Promise<void>)[] = [() => control.close()];
  try {
    const refusal = rehearsal === undefined ? checkCredentials(team) : undefined;
    if (refusal) throw refusal;
    const stage =
      rehearsal === undefined
        ? undefined
        : await startTeamRehearsal(stateDir, rehearsal, team.timeouts.lingerMs);
    if (stage) undo.unshift(() => stage.stop());
    const running = await RunningTeam.start({
      team,
      stateDir,
      ...(stage && { rehearsalUrl: stage.url }),
    });
    control.serve(running);
    return {
      team: running,
      socket: control.path,
      downAsked: downAsked.promise,
      async down(by) {
        await running.stop(by);
        for (const step of undo) await step();
      },
    };
  } catch (error) {
    for (const step of undo) await step();
    throw error;
  }
}

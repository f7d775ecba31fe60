import { packageVersion } from "../files/package-version.ts";
import type { TeamApproval } from "../wire/team/control-methods.ts";
import { errorOf } from "../wire/errors.ts";
import type { TeamEvent } from "../wire/team/events.ts";
import type { ControlServer } from "./control/serve-control-socket.ts";
import { openControl } from "./control/serve-control-socket.ts";
import { approvalsOf } from "./control/control-method-handlers.ts";
import type { Team } from "./file/team.ts";
import { checkCredentials } from "./host/local/check-credentials.ts";
import { LocalHost } from "./host/local/local-host.ts";
import { rehearsalEnvironment } from "../rehearsal/rehearsal-environment.ts";
import { AgentsOfOffice } from "./host/agents-of-office.ts";
import { PlacedHosts } from "./host/placed-hosts.ts";
import type { TeamBus } from "./host/remote/open-remote-host.ts";
import { openRemoteHost } from "./host/remote/open-remote-host.ts";
import { startTeamRehearsal } from "./host/local/rehearsal-process.ts";
import type { Office, OfficeEnd } from "./office/open-office.ts";
import { openOffice } from "./office/open-office.ts";
import { ownOfficeId } from "./office/own-office-id.ts";
import { runTeam } from "./run-team.ts";
import { followTimeline } from "./timeline/follow-timeline.ts";
import { claimState } from "./state-dir/refuse-state-of-other-project.ts";
import type { Project } from "./state-dir/project-of-state-dir.ts";
import { writeProjectNote } from "./state-dir/project-of-state-dir.ts";

export interface StartTeamOptions {
  /** What `loadTeam` returns. */
  readonly team: Team;
  /** An absolute path. No other team may use it. */
  readonly stateDir: string;
  /** The project that the team belongs to. A team that is thrown away afterwards has none. */
  readonly project?: Project;
  /** Go on with the memory that is there, even if it belongs to another project. */
  readonly adopt?: boolean;
  /** The path of a script that plays the model. */
  readonly rehearsal?: string;
  /** The server that stores what the team remembers, and on which other machines join. By default the state directory. */
  readonly bus?: TeamBus;
  /** What the team tells its clients as its version; by default the version of this package. */
  readonly version?: string;
}

/** A team whose process is this one. `connectTeam(socket)` talks to it, from here or from another process. */
export interface StartedTeam {
  /** The path of the control socket. */
  readonly socket: string;
  /** The address of the rehearsal that plays the model. */
  readonly rehearsalUrl: string | undefined;
  /** Resolves with the name of a client when that client asks the team to stop: then call `down`. */
  readonly downAsked: Promise<string>;
  /** The decisions that agents wait for. */
  readonly approvals: TeamApproval[];
  /** Calls the listener with every event since this process began: once and in order. */
  follow(listener: (event: TeamEvent) => void): void;
  /** Sends the lead a message of the user. Resolves with its id when it is safe on the disk. */
  send(text: string): Promise<string>;
  /** Ends everything, in bounded time. */
  down(by?: string): Promise<void>;
  /** Resolves when this process is the team's office no longer: then call `leave`. Only of a team on NATS. */
  readonly officeEnded: Promise<OfficeEnd>;
  /** Ends what runs here. Agents on other machines go on, for the next office. */
  leave(end: OfficeEnd): Promise<void>;
}

/** @throws `invalid_params` when agents are to run on machines that cannot join. */
function checkPlacements(team: Team, bus: TeamBus | undefined): void {
  const placed = [...team.agents.values()].filter(({ placement }) => placement !== undefined);
  if (placed.length === 0 || bus) return;
  const ids = placed.map(({ id }) => id).join(", ");
  throw errorOf("invalid_params", `The team file places ${ids} on other machines.`, {
    hint: "Start the team with --bus nats://HOST:PORT, or take 'host' and 'labels' out of the team file.",
  });
}

/** Only of a subscription does Claude Code tell when its limit resets. */
const accountOf = ({ continueAtReset }: Team) => (continueAtReset ? "subscription" : "key");

/**
 * Starts a team in this process. Resolves when clients can talk to it; its agents start meanwhile.
 *
 * @throws `team_running`; `other_project`; `no_credentials`; `script_invalid`; `team_invalid` for a working directory.
 */
export async function startTeam(options: StartTeamOptions): Promise<StartedTeam> {
  const { team, stateDir, project, adopt = false, rehearsal } = options;
  checkPlacements(team, options.bus);
  const downAsked = Promise.withResolvers<string>();
  const control: ControlServer = await openControl({
    stateDir,
    version: options.version ?? packageVersion,
    onDown: downAsked.resolve,
  });
  const undo: (() => Promise<void>)[] = [() => control.close()];
  try {
    const found = project ? await claimState(stateDir, team, project, adopt) : {};
    const refusal = rehearsal === undefined ? checkCredentials(team) : undefined;
    if (refusal) throw refusal;
    if (project) writeProjectNote(stateDir, team.name, project);
    const stage =
      rehearsal === undefined
        ? undefined
        : await startTeamRehearsal(stateDir, rehearsal, team.timeouts.lingerMs);
    if (stage) undo.unshift(() => stage.stop());
    const local = new LocalHost({
      team,
      stateDir,
      directory: project?.directory,
      runs: ({ placement }) => placement === undefined,
      environmentOf: (agent) =>
        stage ? rehearsalEnvironment(stage.url, { agent, account: accountOf(team) }) : {},
    });
    let office: Office | undefined;
    const { bus } = options;
    undo.unshift(() => office?.close("failed") ?? Promise.resolve());
    const running = await runTeam({
      team,
      stateDir,
      host: local,
      ...(bus && {
        openBus: async () => (office = await openOffice(team, stateDir, bus)).bus,
        async everywhere(records) {
          if (!office) throw new Error("The office is not open.");
          const remote = await openRemoteHost(team, { ...office, records }, stage !== undefined);
          const here = new AgentsOfOffice(local, ownOfficeId(stateDir));
          return new PlacedHosts(team, here, remote);
        },
      }),
      directory: project?.directory,
      lastDirectory: found.lastDirectory,
      rehearsalUrl: stage?.url,
    });
    const warnings = [...team.warnings];
    if (found.copyOf !== undefined) {
      warnings.push(`This state directory is a copy of ${found.copyOf}.`);
    }
    if (office) {
      const { promise: message } = office;
      running.teamRecords.timeline.append({ type: "notice", level: "info", message });
    }
    for (const message of warnings) {
      running.teamRecords.timeline.append({ type: "notice", level: "warn", message });
    }
    control.serve(running);
    return {
      socket: control.path,
      rehearsalUrl: running.rehearsalUrl,
      downAsked: downAsked.promise,
      get approvals() {
        return approvalsOf(running);
      },
      follow: (listener) =>
        void followTimeline(running.teamRecords.timeline, running.firstSeq, listener),
      send: (text) => running.send(text),
      async down(by) {
        await running.stop(by);
        await office?.close("stopped");
        for (const step of undo) await step();
      },
      officeEnded: office?.ended ?? Promise.withResolvers<never>().promise,
      async leave(end) {
        await running.leave();
        await office?.close(end);
        for (const step of undo) await step();
      },
    };
  } catch (error) {
    for (const step of undo) await step();
    throw error;
  }
}

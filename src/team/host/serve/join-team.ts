import { join } from "node:path";
import { listen } from "../../../net/listen.ts";
import { rehearsalEnvironment } from "../../../rehearsal/rehearsal-environment.ts";
import { bootClock } from "../../../proc/time-since-boot.ts";
import { accessOf } from "../../../nats/nats-credentials.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { ClaudeCodeError } from "../../../wire/errors.ts";
import type { AgentId } from "../../../wire/team/messages.ts";
import type { HostNotice } from "../agent-host.ts";
import { startTeamRehearsal } from "../local/rehearsal-process.ts";
import type { TeamBus } from "../remote/open-remote-host.ts";
import { ServedHost } from "./served-host.ts";

export interface JoinTeamOptions {
  readonly bus: TeamBus;
  /** The team's name. */
  readonly team: string;
  /** This machine's name in the team. */
  readonly host: string;
  /** Absolute, and this host's alone. It exists. */
  readonly stateDir: string;
  /** Where agents work, unless the team file names another directory. */
  readonly directory: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The only agents that it runs. By default any. */
  readonly agents?: readonly AgentId[];
  /** The path of a script that plays the model. */
  readonly rehearsal?: string;
  readonly onNotice: (notice: HostNotice) => void;
}

/** This machine, as a host of a team. */
export interface JoinedTeam {
  /** Resolves when it cannot go on, with the reason. */
  readonly ended: Promise<ClaudeCodeError>;
  /** Ends its agents in stages, each bounded, and leaves the team. */
  leave(): Promise<void>;
}

const LINGER_MS = 60_000;

/**
 * Joins a team: from now on it runs the agents that the team gives to it. The team may be started before or later.
 *
 * @throws `socket_in_use` when another process uses the state directory; `connection_failed`, `bus_refused`; `script_invalid`.
 */
export async function joinTeam(options: JoinTeamOptions): Promise<JoinedTeam> {
  const { bus, team, host, stateDir, directory, labels, agents, rehearsal, onNotice } = options;
  const { connectNats } = await import("../../../tunnel/nats/connect-nats.ts");
  // Nobody talks there: it says that the directory is in use, for as long as this process lives.
  const lock = await listen({
    path: join(stateDir, "join.sock"),
    onConnection: (socket) => socket.destroy(),
  });
  const undo: (() => Promise<void>)[] = [() => lock.close()];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.splice(0)) await step();
  };
  try {
    const nats = await connectNats(accessOf(bus.url, bus.credentials));
    undo.unshift(() => nats.close());
    const stage =
      rehearsal === undefined
        ? undefined
        : await startTeamRehearsal(stateDir, rehearsal, LINGER_MS);
    if (stage) undo.unshift(() => stage.stop());
    const served = new ServedHost({
      carrier: nats.hostEnd(team, host),
      clock: bootClock,
      stateDir,
      directory,
      labels,
      rehearsed: stage !== undefined,
      environmentOf: (agent) => (stage ? rehearsalEnvironment(stage.url, { agent }) : {}),
      onNotice,
      ...(agents && { agents }),
    });
    undo.unshift(() => served.close());
    const lost = nats.closed.then(
      (error) => error ?? errorOf("connection_lost", "The connection to the server was closed."),
    );
    const displaced = served.displaced.then(() =>
      errorOf("superseded", `Another machine has joined the team ${team} as ${host}.`, {
        hint: "Give each machine a name of its own with --host, and end the one that is not needed.",
      }),
    );
    return { ended: Promise.race([lost, displaced]), leave: undoAll };
  } catch (error) {
    await undoAll();
    throw error;
  }
}

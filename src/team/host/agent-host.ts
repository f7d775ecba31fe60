import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import type { Duplex } from "node:stream";
import type { StreamToolHost } from "../../bridge/index.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { SessionEvent } from "../../wire/session/events.ts";
import type { AgentStatus } from "../../wire/team/agent-status.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentSpec } from "../file/team.ts";

/** Something that people should know about the place where the agents run. */
export interface HostNotice {
  readonly level: "info" | "warn";
  readonly message: string;
  readonly hint?: string;
}

/**
 * By this mark a host finds a run that an earlier process of the team has started. The team stores it; only the host
 * knows what is in it. Without a run it is empty.
 */
export type RunMark = Readonly<Record<string, string>>;

/** What `status` shows of an agent's run, for people and their programs. The team itself does nothing with it. */
export type RunFacts = Pick<
  AgentStatus,
  "host" | "pid" | "socket" | "observe_socket" | "state_dir"
>;

/** How a run ended. */
export interface RunEnd {
  /** Why, in the run's own last words where it left some. */
  readonly why: ClaudeCodeError;
  /** It was killed, so it could not clean up. */
  readonly killed: boolean;
}

/** One run of an agent: its session is there, or comes up. */
export interface AgentRun {
  /** Stored for the next process of the team. */
  readonly mark: RunMark;
  /** Settles when the run has ended. Of a run whose end the host cannot see it never settles: its session closes. */
  readonly gone: Promise<RunEnd>;
  /** Why it could not go on with the conversation that it was to go on with: it has begun a new one. */
  readonly forgot?: string | undefined;
  /**
   * Opens a byte stream to the session. The first call tries for as long as the signal allows, since the session
   * may be coming up; later calls try once.
   *
   * @throws when there is no connection; the signal's reason.
   */
  openSession(signal: AbortSignal): Promise<Duplex>;
}

/** `not_seen`: the host sees no run. If there is one, only its session can say when it has ended. */
export type StopOutcome = "ended" | "killed" | "not_seen";

/** One agent where it runs. It has at most one run at a time. */
export interface HostedAgent {
  readonly facts: RunFacts;
  /** Another office of the team reaches its run too. */
  readonly outlivesOffice: boolean;
  /** Where people find what its runs have printed. */
  readonly logHint: string;
  /**
   * Lets bridges of the agent's session call these tools, also those of a run that is found again, and makes
   * ready what the next run reads. To be called once, before `start`.
   *
   * @throws `team_invalid`; `bridge_startup`; `socket_in_use`.
   */
  offerTools(tools: StreamToolHost): Promise<void>;
  /**
   * Resolves when there is a machine on which it can be started, however long that takes.
   *
   * @param onWait is called with what it waits for, as often as that changes.
   * @param conversation the session that the next run is to go on with: it comes along to another machine.
   * @throws the signal's reason.
   */
  untilStartable(
    onWait: (why: string) => void,
    signal: AbortSignal,
    conversation?: string,
  ): Promise<void>;
  /**
   * From now on its runs are to be on another machine, also over restarts of the team. The caller then ends the present run.
   *
   * @param force without waiting until a machine that cannot be reached has certainly ended the run.
   * @param accepted is called when it can be moved, before anything changes.
   * @returns the machine that has it now.
   * @throws `not_allowed`, `agent_unavailable`, `wrong_state`; then nothing has changed.
   */
  moveTo(host: string, force: boolean, accepted: () => void): Promise<{ readonly from?: string }>;
  /**
   * Finds the run again that an earlier process of the team has started under the same policy. Ends any other, and
   * starts a new one.
   *
   * @param resume the session that a new run goes on with.
   * @param settings what a new run is started with, instead of what the team file says.
   * @throws when nothing can be started; the signal's reason, and then nothing was started.
   */
  start(resume: string | undefined, signal: AbortSignal, settings?: RunSettings): Promise<AgentRun>;
  /**
   * Ends the run in stages, each bounded, also one of an earlier process, and clears away what a killed one has
   * left.
   *
   * @param askedMs how long it may take to end by itself, because its session was asked to.
   * @param cut kills it instead: its next run goes on with the turn, as after a crash.
   */
  stop(askedMs: number, cut?: boolean): Promise<StopOutcome>;
}

/** Settings that a person may change while the team runs. */
export interface RunSettings {
  readonly mode?: PermissionMode | undefined;
  readonly model?: string | undefined;
}

/** What the session of an agent has written down. It is there whether or not the agent runs. */
export interface AgentLog {
  readonly logId: string;
  /** A page of its events before a number, or of the newest: oldest first. @throws `log_damaged` */
  history(
    before: number | undefined,
    limit: number,
    options?: { readonly whole?: boolean },
  ): Promise<{ readonly events: SessionEvent[]; readonly more: boolean }>;
  /** A payload that is stored beside the log, or a part of it. @throws `blob_not_found` */
  readBlob(
    blob: string,
    offset: number,
    limit: number,
  ): Promise<{ readonly bytes: number; readonly offset: number; readonly data: Uint8Array }>;
}

/** Where the logs of agents are. */
export interface AgentLogs {
  /** The log that the session of the agent wrote last; undefined when it has written none. */
  openLog(id: AgentId): Promise<AgentLog | undefined>;
}

/** Where the agents of a team run. */
export interface AgentHost extends AgentLogs {
  /**
   * Makes ready what the agents share: their working directories, the processes of their functions.
   *
   * @throws `team_invalid`.
   */
  open(): Promise<void>;
  onNotice(listener: (notice: HostNotice) => void): void;
  /** @param mark of the run that an earlier process of the team has started, as far as there was one. */
  agent(spec: AgentSpec, mark: RunMark): HostedAgent;
  /** Begins to end the run of an agent that is no longer in the team. */
  dismiss(id: AgentId, mark: RunMark): void;
  /** Ends what killed agents have left running, in bounded time. */
  sweep(): Promise<void>;
  /**
   * Ends what the agents share. It ends no agent; `stop` does that.
   *
   * @param clear also removes what runs that live on would need to reconnect.
   */
  close(options: { readonly clear: boolean }): Promise<void>;
  /** Another office has the team: ends what the agents share here, and leaves alone what that office reaches too. */
  leave(): Promise<void>;
}

/** What the agents of a team without a process have left where they ran. */
export interface AgentLeftovers extends AgentLogs {
  /** What `status` shows of an agent; more than facts of files when it has outlived the team's process. */
  describe(id: AgentId, mark: RunMark): RunFacts & { readonly description: string };
  /**
   * Ends what an earlier process of the team has left running, and removes what only serves running agents.
   *
   * @param marks by agent: the mark of its last run.
   * @returns the agents that were still running.
   */
  endRuns(marks: ReadonlyMap<AgentId, RunMark>): Promise<AgentId[]>;
  /** Removes what lies outside the team's state directory. To be called when no agent is running. */
  remove(): Promise<void>;
}

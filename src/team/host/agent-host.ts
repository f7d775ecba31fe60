import type { Duplex } from "node:stream";
import type { StreamToolHost } from "../../bridge/index.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { TeamStatus } from "../../wire/team/control.ts";
import type { AgentId } from "../../wire/team/messages.ts";
import type { AgentSpec } from "../file/team.ts";

/** Something that people should know about the place where the agents run. */
export interface HostNotice {
  readonly level: "info" | "warn";
  readonly message: string;
  readonly hint?: string;
}

/**
 * By this a host finds a run again that an earlier process of the team has started. The team keeps it; only the host
 * knows what is in it. Without a run it is empty.
 */
export type RunMark = Readonly<Record<string, string>>;

/** What `status` shows of an agent's run, for people and their programs. The team itself does nothing with it. */
export type RunFacts = Pick<
  TeamStatus["agents"][number],
  "pid" | "socket" | "observe_socket" | "state_dir"
>;

/** How a run ended. */
export interface RunEnd {
  /** Why, in the run's own last words where it left some. */
  readonly why: ClaudeCodeError;
  /** It was killed, and so could clear nothing away. */
  readonly killed: boolean;
}

/** One run of an agent: its session is there, or comes up. */
export interface AgentRun {
  /** To be kept, for the next process of the team. */
  readonly mark: RunMark;
  /** Settles when the run has ended. Of a run whose end the host cannot see it never settles: its session closes. */
  readonly gone: Promise<RunEnd>;
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
   * Finds the run again that an earlier process of the team has started under the same policy. Ends any other, and
   * starts a new one.
   *
   * @param resume the session that a new run goes on with.
   * @throws when nothing can be started; the signal's reason, and then nothing was started.
   */
  start(resume: string | undefined, signal: AbortSignal): Promise<AgentRun>;
  /**
   * Ends the run in stages, each bounded, also one of an earlier process, and clears away what a killed one has
   * left.
   *
   * @param askedMs how long it may take to end by itself, because its session was asked to.
   */
  stop(askedMs: number): Promise<StopOutcome>;
}

/** Where the agents of a team run. */
export interface AgentHost {
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
   * Ends what the agents share, and no agent: that is `stop`.
   *
   * @param clear also removes what only serves to be found again by runs that live on.
   */
  close(options: { readonly clear: boolean }): Promise<void>;
}

/** What the agents of a team without a process have left where they ran. */
export interface AgentLeftovers {
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

import type { ContentBlock } from "../content.ts";
import type { DropOutcome } from "../session/answers.ts";
import type { CommunicationLog, CommunicationLogLevel } from "./communication-log.ts";
import type { TeamApproval, TeamMethod, TeamParams, TeamStatus } from "./control-methods.ts";
import type { TeamEventOf, TurnPlace } from "./events.ts";
import type { AgentId, CCMessage } from "./messages.ts";
import type {
  AgentBlob,
  AgentHistory,
  Budgets,
  LogStats,
  TaskPage,
  TaskReport,
  TeamDescription,
  TimelinePage,
} from "./read-results.ts";

/** A line of the communication log, as the team stores it. */
export type CommunicationEntry = CommunicationLog & {
  readonly id: string;
  readonly level: CommunicationLogLevel;
};

export interface CommunicationPage {
  /** The newest first, by the time at which they were written down. */
  readonly entries: CommunicationEntry[];
  /** For the next page; absent when there is nothing older. */
  readonly before?: string;
}

/** A message that could not be delivered. */
export interface DeadMessage {
  readonly message: CCMessage;
  readonly cause: string;
  readonly why: string;
  readonly attempts: number;
  /** Milliseconds since 1970. */
  readonly died_at: number;
  /** What a person did with it. */
  readonly fate: "open" | "resent" | "discarded";
  /** The id under which it was sent again. */
  readonly resent_as: string | null;
}

/** A message and what became of it. */
export interface MessageReport {
  readonly message: CCMessage;
  /** Its place in the queue. `done`: the recipient has it; the turn may still be running. */
  readonly state: string;
  readonly attempts: number;
  readonly answers: CCMessage[];
  /** The blocks that the user sent in place of a text. */
  readonly content?: ContentBlock[];
  /** The turn that the recipient's session has given the message to. */
  readonly turn?: TurnPlace;
  /** The lead's answer, when the user sent the message. */
  readonly answered?: TeamEventOf<"answered">;
}

/** What a team answers to each method of its control socket. */
export interface TeamResults extends Record<TeamMethod, unknown> {
  readonly hello: { readonly client: string; readonly fixed?: boolean };
  readonly attach: {
    readonly log_id: string;
    readonly since: number;
    readonly last_seq: number;
    readonly reset: boolean;
    /** The name of this client in records of who decided. */
    readonly client?: string;
  };
  readonly ping: { readonly pong: true; readonly at?: string };
  readonly status: TeamStatus;
  readonly send: { readonly id: string };
  readonly cancel: { readonly canceled: true };
  readonly drop: { readonly outcome: DropOutcome };
  readonly approvals: { readonly approvals: TeamApproval[] };
  readonly approve: { readonly agent: AgentId };
  readonly deny: { readonly agent: AgentId };
  readonly answer: { readonly agent: AgentId };
  readonly respond: { readonly agent: AgentId };
  /** Without `remaining_ms` the request waits for ever, as it did before. */
  readonly hold: { readonly agent: AgentId; readonly remaining_ms?: number };
  readonly log: CommunicationPage;
  readonly message: MessageReport;
  readonly text: { readonly seq: number; readonly text: string };
  readonly notices: { readonly notices: TeamEventOf<"notice">[] };
  readonly ack: { readonly acknowledged: true };
  readonly dead_letters: { readonly dead_letters: DeadMessage[] };
  readonly resend: { readonly id: string };
  readonly discard: { readonly discarded: true };
  readonly restart: { readonly restarting: AgentId };
  readonly timeline: TimelinePage;
  readonly agent_history: AgentHistory;
  readonly agent_blob: AgentBlob;
  readonly team: TeamDescription;
  readonly budgets: Budgets;
  readonly tasks: TaskPage;
  readonly task: TaskReport;
  readonly log_stats: LogStats;
  readonly stop: { readonly agent: AgentId };
  readonly start: { readonly agent: AgentId };
  readonly hibernate: { readonly agent: AgentId };
  readonly abort: { readonly agent: AgentId };
  /** `from`: the machine that has it until then. */
  readonly move: { readonly agent: AgentId; readonly host: string; readonly from?: string };
  readonly set: TeamParams<"set">;
  readonly down: { readonly stopping: true };
}

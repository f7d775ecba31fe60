import type { CommunicationLog, CommunicationLogLevel } from "./communication-log.ts";
import type { TeamApproval, TeamMethod, TeamStatus } from "./control.ts";
import type { TeamEventOf } from "./events.ts";
import type { AgentId, CCMessage } from "./messages.ts";
import type { Task } from "./task.ts";

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
  readonly state: string;
  readonly attempts: number;
  readonly answers: CCMessage[];
  /** The lead's answer, when the user sent the message. */
  readonly answered?: TeamEventOf<"answered">;
}

/** What a team answers to each method of its control socket. */
export interface TeamResults extends Record<TeamMethod, unknown> {
  readonly hello: { readonly client: string };
  readonly attach: {
    readonly log_id: string;
    readonly since: number;
    readonly last_seq: number;
    readonly reset: boolean;
  };
  readonly ping: { readonly pong: true };
  readonly status: TeamStatus;
  readonly send: { readonly id: string };
  readonly tasks: { readonly tasks: Task[] };
  readonly cancel: { readonly canceled: true };
  readonly approvals: { readonly approvals: TeamApproval[] };
  readonly approve: { readonly agent: AgentId };
  readonly deny: { readonly agent: AgentId };
  readonly answer: { readonly agent: AgentId };
  readonly log: CommunicationPage;
  readonly message: MessageReport;
  readonly dead_letters: { readonly dead_letters: DeadMessage[] };
  readonly resend: { readonly id: string };
  readonly discard: { readonly discarded: true };
  readonly restart: { readonly restarting: AgentId };
  readonly down: { readonly stopping: true };
}

import type { DebugEvent, EngineOptions } from "../../engine/index.ts";
import type { RecoveryPath } from "../../engine/recovery/index.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { SessionAnswerOf } from "../../wire/session/answers.ts";
import type { SessionCommand } from "../../wire/session/commands.ts";
import type { PolicyRule } from "../../wire/policy-rule.ts";
import type { NoticeCode } from "../../wire/session/notices.ts";
import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import type { EventLog } from "../log/event-log.ts";
import type { CommandAnswer } from "./command-answer.ts";
import type { Timers } from "../../time/clock.ts";

/** `restore` rebuilds the conversation from the log and `forget` goes on without it; both without asking. */
export type LostConversationPolicy = "ask" | "restore" | "forget";

/** Options of the CLI, after flags, settings and trust were read. */
type CliOptions = Omit<
  EngineOptions,
  | "decide"
  | "elicit"
  | "sessionId"
  | "resume"
  | "fork"
  | "resumeAt"
  | "continueLatest"
  | "permissionMode"
  | "additionalDirectories"
  | "askFirst"
>;

export interface SessionOptions extends CliOptions {
  /** An open log, which the session owns: it is closed with the session. */
  log: EventLog;
  /** The CLI's id of the session. An id in the log takes precedence. */
  sessionId: string;
  /**
   * Where the conversation of an empty log comes from: a session that the CLI knows, or a fork of it, whole or up to a row
   * of the CLI's transcript.
   */
  origin?: { resume: string; fork?: boolean; at?: string };
  /** Directories beside the working directory that tools may use. Absolute. */
  addedDirectories?: readonly string[];
  /** From a flag: takes precedence over the log. */
  permissionMode?: PermissionMode;
  /** From the settings: used when neither a flag nor the log names a mode. */
  defaultMode?: PermissionMode;
  /** How long a request waits for a person, counted while the machine is awake; 0 waits for ever. */
  approvalTimeoutMs?: number;
  /** What to do when the CLI's transcript lacks messages that it had; by default `ask`. */
  lostConversation?: LostConversationPolicy;
  /** Go on by itself with a turn that the account's usage limit has ended, when the limit resets. */
  continueAtReset?: boolean;
  /** The clock by which a limit resets; by default the system's. */
  wallMs?: () => number;
  /** Rules that decide on tool calls; the first match wins. Without a match Claude Code decides. */
  policy?: readonly PolicyRule[];
  /** How open requests are asked again after a crash; by default the CLI's version decides. */
  recovery?: RecoveryPath;
  /** Recorded once at the start, for example that the project is not trusted. */
  notices?: { code: NoticeCode; message: string; hint?: string }[];
  /** The known tools of an MCP server, to be named if the server does not start. */
  toolsOf?: (server: string) => readonly string[];
  /** Called with what the engine cannot name or read. No event is recorded for it. */
  onDebug?: (event: DebugEvent) => void;
  /** Called when a CLI of this process is up. */
  onCliReady?: (pid: number) => void;
  timers?: Timers;
}

/** A connection on which a client offers tools and is called. */
export interface ClientLink {
  /** The client's name now. */
  readonly name: string;
  /** The name that it asked for: its own without the number that tells it from another connection. */
  readonly wantedName: string;
  /** Sends a line to this client alone. */
  tell(line: SessionAnswerOf<"tool_call" | "tool_cancel">): void;
}

/** The session's part of `init` and `status`. */
export type StatusFields = Omit<SessionAnswerOf<"status">, "type" | "ref" | "seq">;

export interface SessionEnd {
  reason: "signal" | "shutdown" | "linger" | "failed";
  /** Why the session could not go on. */
  error?: ClaudeCodeError;
}

/** One conversation with its log. It outlives its clients and the CLI's process. */
export interface Session {
  readonly log: EventLog;
  /** The CLI's version; undefined when the CLI does not report it. */
  readonly cliVersion: string | undefined;
  status(): StatusFields;
  /** Calls the listener when `models`, `modes` or `slash_commands` of the status have changed. Absent: they never do. */
  watchChoices?(listener: () => void): void;
  /**
   * Carries out a command of `command-table.ts`. `by` names the client. Resolves when the effect is safe on disk, also
   * for a duplicate of an accepted message; with an answer if the command has one of its own.
   * @throws ClaudeCodeError, only to the sender of the command.
   */
  handle(
    command: SessionCommand,
    by: string | undefined,
    link?: ClientLink,
  ): Promise<CommandAnswer | void>;
  /** This connection sends no more commands. */
  left(link: ClientLink): void;
  /** Resolves when the session cannot go on, or when `close` is complete. Never rejects. */
  readonly closed: Promise<SessionEnd>;
  /** Ends the turn in bounded time, then the CLI and the log. Idempotent; never rejects. */
  close(reason: Exclude<SessionEnd["reason"], "failed">): Promise<void>;
}

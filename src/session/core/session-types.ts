import type { DebugEvent } from "../../engine/events.ts";
import type { EngineOptions } from "../../engine/options.ts";
import type { ClaudeCodeError } from "../../wire/errors.ts";
import type { SessionAnswerOf } from "../../wire/session-answers.ts";
import type { SessionCommand } from "../../wire/session-commands.ts";
import type { NoticeCode } from "../../wire/session-notices.ts";
import type { PermissionMode } from "../../wire/session-terms.ts";
import type { EventLog } from "../log/event-log.ts";
import type { Timers } from "./timers.ts";

/** What is said of the CLI, after flags, settings and trust were read. */
type CliOptions = Omit<
  EngineOptions,
  | "decide"
  | "sessionId"
  | "resume"
  | "fork"
  | "continueLatest"
  | "permissionMode"
  | "additionalDirectories"
>;

export interface SessionOptions extends CliOptions {
  /** Open, and this session's own: it is closed with the session. */
  log: EventLog;
  /** The CLI's id of the session. A log that has gone on under another one knows better. */
  sessionId: string;
  /** Where the conversation of an empty log comes from: a session that the CLI knows, or a copy of it. */
  origin?: { resume: string; fork?: boolean };
  /** Asked for by a flag: it beats what the log says. */
  permissionMode?: PermissionMode;
  /** From the settings: it counts when neither a flag nor the log says anything. */
  defaultMode?: PermissionMode;
  /** Of awake time; 0 waits for ever. */
  approvalTimeoutMs?: number;
  /** Told once at the start, such as that the project is not trusted. */
  notices?: { code: NoticeCode; message: string; hint?: string }[];
  /** Tools of an MCP server that are known without it: if it does not start, they are named. */
  toolsOf?: (server: string) => readonly string[];
  /** What the engine has no name for, or could not read: nobody else hears of it. */
  onDebug?: (event: DebugEvent) => void;
  timers?: Timers;
}

/** The session's part of `init` and `status`. */
export type StatusFields = Omit<SessionAnswerOf<"status">, "type" | "ref" | "seq">;

export interface Ended {
  reason: "signal" | "shutdown" | "linger" | "failed";
  /** Why it could not go on. */
  error?: ClaudeCodeError;
}

/** One conversation with its log. It outlives its clients and the CLI's process. */
export interface Session {
  readonly log: EventLog;
  /** Of the CLI; undefined until it has told it. */
  readonly cliVersion: string | undefined;
  status(): StatusFields;
  /**
   * message, approve, deny, answer, abort, set_mode, set_model, set_thinking. `by` names the client.
   * Resolves when it is done and safe on disk; a duplicate of an accepted message resolves as well.
   * @throws ClaudeCodeError, for the sender of the command alone.
   */
  handle(command: SessionCommand, by: string | undefined): Promise<void>;
  /** Resolves when the session cannot go on, or when `close` is complete. Never rejects. */
  readonly closed: Promise<Ended>;
  /** Ends the turn in bounded time, then the CLI and the log. Idempotent; never rejects. */
  close(reason: Exclude<Ended["reason"], "failed">): Promise<void>;
}

import type { PermissionMode } from "../../wire/session/shared-schemas.ts";
import type { LostConversationPolicy } from "../core/session.ts";

/** The settings of a session, as on the command line. */
export interface HostFlags {
  readonly cwd: string;
  readonly socket?: string;
  readonly observeSocket?: string;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly fork?: boolean;
  /** With `fork`: the message whose answer is the last thing that the copy has. */
  readonly at?: string;
  /** More directories that tools may use. */
  readonly addDir?: readonly string[];
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly mcpConfig?: readonly string[];
  /** The only tools of Claude Code that the model gets. */
  readonly tools?: readonly string[];
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly maxBudgetUsd?: number;
  readonly maxTurns?: number;
  /** A file, or JSON. */
  readonly settings?: string;
  readonly appendSystemPrompt?: string;
  readonly appendSystemPromptFile?: string;
  /** A file with the rules that decide on tool calls. */
  readonly policy?: string;
  readonly trust?: boolean;
  /** 0: never. */
  readonly approvalTimeoutMs: number;
  readonly lingerMs?: number;
  /** A file with the time, since the machine was started, at which it ends whatever it does. */
  readonly lease?: string;
  readonly continueAtReset?: boolean;
  readonly lostConversation?: LostConversationPolicy;
  readonly stateDir?: string;
  /** The log begins a new file at this size. */
  readonly logSegmentBytes?: number;
  readonly claudePath?: string;
  /** How open requests are asked again after a crash; by default the CLI's version decides. */
  readonly recovery?: "full" | "careful";
  /** The script of a rehearsed model. */
  readonly rehearsal?: string;
}

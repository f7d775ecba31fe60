import type { PermissionMode } from "../../wire/session-terms.ts";

/** What a person may say about a session, as on the command line. */
export interface HostFlags {
  readonly cwd: string;
  readonly socket?: string;
  readonly observeSocket?: string;
  readonly resume?: string;
  readonly continue?: boolean;
  readonly fork?: boolean;
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly mcpConfig?: readonly string[];
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly maxBudgetUsd?: number;
  readonly maxTurns?: number;
  /** A file, or JSON. */
  readonly settings?: string;
  readonly appendSystemPrompt?: string;
  readonly appendSystemPromptFile?: string;
  readonly trust?: boolean;
  /** 0: never. */
  readonly approvalTimeoutMs: number;
  readonly lingerMs?: number;
  readonly stateDir?: string;
  /** The log begins a new file at this size. */
  readonly logSegmentBytes?: number;
  readonly claudePath?: string;
  /** The script of a rehearsed model. */
  readonly rehearsal?: string;
}

import type { TransportType } from "../wire/ipc-files.ts";
import type {
  Decide,
  EngineEvent,
  EngineOptions,
  McpServerConfig,
  PermissionMode,
} from "../engine/index.ts";
import type { SchemaSource } from "../bridge/tool/choose-validator.ts";
import type { ParameterRestrictions } from "./parameter-restrictions.ts";

/** What a session may do that no rule allows: nothing, everything, or what a function decides. */
export type PermissionPolicy = "deny" | "allow" | Decide;

/** The defaults of requests. */
export interface ModelOptions {
  model?: string;
  fallbackModel?: string;
  /** A text replaces Claude Code's own system prompt; `append` adds to it. */
  systemPrompt?: string | { append: string };
  /** How often the model may be called in one request. */
  maxTurns?: number;
  maxBudgetUsd?: number;
  /** 120 s by default; 0 is no limit. */
  timeoutMs?: number;
  cwd?: string;
  permissionMode?: PermissionMode;
  /** For calls that no rule allows. By default they are denied, and the model is told why. */
  permission?: PermissionPolicy;
  /** Claude Code's rules, such as `Read` or `Bash(git *)`. The registered tools are allowed anyway. */
  allowedTools?: string[];
  disallowedTools?: string[];
  /** Of the tools that Claude Code runs itself, only these exist. By default all; an empty list, none. */
  builtInTools?: string[];
  /**
   * Which values a tool's parameters may have, by the tool's name as the model sees it; for the caller's own tools,
   * also by their own name.
   */
  parameterRestrictions?: ParameterRestrictions;
  /** Further MCP servers. */
  mcpServers?: Record<string, McpServerConfig>;
  /** Which of the user's own settings apply; none by default. */
  settingSources?: NonNullable<EngineOptions["settingSources"]>;
  thinking?: NonNullable<EngineOptions["thinking"]>;
  effort?: NonNullable<EngineOptions["effort"]>;
  /** Variables for Claude Code on top of the allow-listed ones of this process. */
  env?: Record<string, string>;
  claudePath?: string;
  /** Gets every event of the request. Its errors are logged, and the request goes on. */
  onMessage?: (event: EngineEvent) => unknown;
}

export interface RequestOptions<Output extends SchemaSource = SchemaSource> extends ModelOptions {
  signal?: AbortSignal;
  /** Go on in this session. */
  resume?: string;
  /** Go on in the directory's latest session. */
  continue?: boolean;
  /** The names of the registered tools that this request may use; all by default. */
  tools?: readonly string[];
  /** The answer is an object of this zod or JSON Schema. */
  output?: Output;
}

export interface ToolsetOptions {
  /** `auto` is `stdio`. */
  transport?: TransportType;
  /** The model sees the tools as `mcp__<name>__<tool>`. */
  name?: string;
}

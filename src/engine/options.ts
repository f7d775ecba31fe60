import type {
  McpServerConfig,
  Options,
  PermissionMode,
  Settings,
} from "@anthropic-ai/claude-agent-sdk";
import type { JsonObject } from "../wire/json.ts";
import { locateCli } from "./locate-cli.ts";
import type { Decide } from "./permission.ts";
import { canUseToolOf } from "./permission.ts";
import type { Veto } from "./veto.ts";
import { hooksOf } from "./veto.ts";

export type { McpServerConfig, PermissionMode };

/** How a session is to run. What is left out keeps the CLI's own default. */
export interface EngineOptions {
  cwd: string;
  decide: Decide;
  /** Variables for the CLI on top of the allow-listed ones of this process. */
  env?: Record<string, string>;
  claudePath?: string;
  /** The id that a new session shall have. */
  sessionId?: string;
  resume?: string;
  /** With `resume`: go on in a copy. */
  fork?: boolean;
  continueLatest?: boolean;
  model?: string;
  permissionMode?: PermissionMode;
  effort?: NonNullable<Options["effort"]>;
  appendSystemPrompt?: string;
  /** Stands in the place of Claude Code's own system prompt, which it would otherwise be appended to. */
  systemPrompt?: string;
  mcpServers?: Record<string, McpServerConfig>;
  /** More servers, in a file: they may hold keys, which would be seen among the CLI's arguments. */
  mcpConfigFile?: string;
  /** Only the servers given here: none from settings, plugins or `.mcp.json`. */
  strictMcpConfig?: boolean;
  settingSources?: ("user" | "project" | "local")[];
  settings?: string | Settings;
  allowedTools?: string[];
  disallowedTools?: string[];
  /** Directories beside the working directory that tools may use. */
  additionalDirectories?: string[];
  maxTurns?: number;
  maxBudgetUsd?: number;
  /** Of the tools that Claude Code runs itself, only these exist; with an empty list, none. */
  builtInTools?: string[];
  /** The turn ends with an object of this JSON Schema, in `structured_output`. */
  outputSchema?: JsonObject;
  fallbackModel?: string;
  thinking?: NonNullable<Options["thinking"]>;
  /** False: no transcript is written, and the session cannot be resumed. */
  persistSession?: boolean;
  /** Is asked before each tool call, also where nobody would be asked for permission. */
  veto?: Veto;
}

/** The options in the SDK's form, but for the process and its environment. */
export function sdkOptions(options: EngineOptions): Options {
  const { model, effort, mcpServers, allowedTools, disallowedTools, maxTurns, maxBudgetUsd } =
    options;
  return definedOnly({
    cwd: options.cwd,
    pathToClaudeCodeExecutable: locateCli(options.claudePath),
    canUseTool: canUseToolOf(options.decide),
    includePartialMessages: true,
    perTaskStopAffordance: true,
    // Left out, some CLI versions pick a mode of their own.
    permissionMode: options.permissionMode ?? "default",
    allowDangerouslySkipPermissions: options.permissionMode === "bypassPermissions" || undefined,
    settingSources: options.settingSources ?? ["user", "project", "local"],
    settings: options.settings,
    systemPrompt: systemPromptOf(options),
    sessionId: options.sessionId,
    resume: options.resume,
    forkSession: options.fork,
    continue: options.continueLatest,
    additionalDirectories: options.additionalDirectories,
    strictMcpConfig: options.strictMcpConfig,
    extraArgs:
      options.mcpConfigFile === undefined ? undefined : { "mcp-config": options.mcpConfigFile },
    model,
    effort,
    mcpServers,
    allowedTools,
    disallowedTools,
    maxTurns,
    maxBudgetUsd,
    tools: options.builtInTools,
    outputFormat: options.outputSchema && { type: "json_schema", schema: options.outputSchema },
    fallbackModel: options.fallbackModel,
    thinking: options.thinking,
    persistSession: options.persistSession,
    hooks: options.veto && hooksOf(options.veto),
  });
}

/**
 * The CLI records the first prompt of a session and goes on with it, whatever a later start says. What a caller
 * gives is to hold, so nothing is recorded then.
 */
function systemPromptOf({ systemPrompt, appendSystemPrompt: append }: EngineOptions) {
  if (systemPrompt !== undefined) {
    const prompt = [systemPrompt, append].filter(Boolean).join("\n\n");
    return { type: "custom", prompt, snapshot: false } as const;
  }
  const preset = { type: "preset", preset: "claude_code" } as const;
  return append === undefined ? preset : { ...preset, append, snapshot: false };
}

type Maybe<T> = { [K in keyof T]?: T[K] | undefined };

/** The SDK tells an option that is `undefined` from one that is not there. */
function definedOnly(options: Maybe<Options>): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

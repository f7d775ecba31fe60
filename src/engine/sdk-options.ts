import type {
  McpServerConfig,
  Options,
  PermissionMode,
  Settings,
} from "@anthropic-ai/claude-agent-sdk";
import type { JsonObject } from "../wire/json.ts";
import type { CliSupport } from "./cli-support.ts";
import type { Elicit } from "./ask-elicitation.ts";
import { onElicitationOf } from "./ask-elicitation.ts";
import type { Decide } from "./ask-permission.ts";
import { canUseToolOf } from "./ask-permission.ts";
import { serversInside, serversOutside } from "./mcp-server-file.ts";
import { usableCli } from "./choose-cli.ts";
import type { ToolHookOptions } from "./hook-before-tool.ts";
import { toolHook } from "./hook-before-tool.ts";

export type { McpServerConfig, PermissionMode };

/** How a session runs. An omitted option keeps the CLI's default. */
export interface EngineOptions extends ToolHookOptions {
  cwd: string;
  decide: Decide;
  /** Answers what MCP servers ask the person. Without it the CLI declines. */
  elicit?: Elicit;
  /** Variables for the CLI on top of the allow-listed ones of this process. */
  env?: Record<string, string>;
  claudePath?: string;
  /** The id for a new session. */
  sessionId?: string;
  resume?: string;
  /** With `resume`: continue in a copy. */
  fork?: boolean;
  /** With `fork`: the copy ends with this row of the CLI's transcript. */
  resumeAt?: string;
  continueLatest?: boolean;
  model?: string;
  permissionMode?: PermissionMode;
  effort?: NonNullable<Options["effort"]>;
  appendSystemPrompt?: string;
  /** Replaces Claude Code's own system prompt; `appendSystemPrompt` adds to it. */
  systemPrompt?: string;
  mcpServers?: Record<string, McpServerConfig>;
  /** For files that only this session may read; by default a temporary directory of its own. */
  privateDir?: string;
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
}

/** MCP servers that this CLI can take only from a file: in its arguments their keys would be visible. */
export function serversForFile({
  claudePath,
  mcpServers = {},
}: EngineOptions): Record<string, McpServerConfig> {
  return usableCli(claudePath).support.readsServersAtInitialize ? {} : serversOutside(mcpServers);
}

/**
 * The options in the SDK's form, except the process and its environment. `serverFile` has the servers that
 * `serversForFile` returns.
 *
 * @throws `cli_not_found`, `cli_too_old`.
 */
export function sdkOptions(options: EngineOptions, serverFile?: string): Options {
  const { model, effort, disallowedTools, maxTurns, maxBudgetUsd } = options;
  const { path, support } = usableCli(options.claudePath);
  return definedOnly({
    cwd: options.cwd,
    pathToClaudeCodeExecutable: path,
    canUseTool: canUseToolOf(options.decide),
    onElicitation: options.elicit && onElicitationOf(options.elicit),
    includePartialMessages: true,
    perTaskStopAffordance: true,
    // Without it, some CLI versions pick a mode of their own.
    permissionMode: options.permissionMode ?? "default",
    allowDangerouslySkipPermissions: options.permissionMode === "bypassPermissions" || undefined,
    settingSources: options.settingSources ?? ["user", "project", "local"],
    settings: options.settings,
    systemPrompt: systemPromptOf(options),
    sessionId: options.sessionId,
    resume: options.resume,
    forkSession: options.fork,
    resumeSessionAt: options.resumeAt,
    continue: options.continueLatest,
    additionalDirectories: options.additionalDirectories,
    strictMcpConfig: options.strictMcpConfig,
    extraArgs: extraArguments(options, support, serverFile),
    model,
    effort,
    ...deliveredServers(options.mcpServers, support),
    disallowedTools,
    maxTurns,
    maxBudgetUsd,
    tools: options.builtInTools,
    outputFormat: options.outputSchema && { type: "json_schema", schema: options.outputSchema },
    fallbackModel: options.fallbackModel,
    thinking: options.thinking,
    persistSession: options.persistSession,
    hooks: hooksOf(options),
  });
}

function hooksOf({ veto, askFirst }: EngineOptions): Options["hooks"] {
  return veto || askFirst ? { PreToolUse: [toolHook({ veto, askFirst })] } : undefined;
}

/**
 * In the SDK's first request where the CLI reads them there; servers outside this process may be in a file instead.
 */
function deliveredServers(
  servers: EngineOptions["mcpServers"],
  { readsServersAtInitialize }: CliSupport,
): Pick<Options, "mcpServers" | "mcpServersDelivery"> {
  if (!servers) return {};
  if (readsServersAtInitialize) return { mcpServers: servers, mcpServersDelivery: "initialize" };
  return { mcpServers: serversInside(servers), mcpServersDelivery: "argv" };
}

function extraArguments(
  { allowedTools = [] }: EngineOptions,
  { awaitsInitialize }: CliSupport,
  serverFile: string | undefined,
): Record<string, string | null> | undefined {
  const args = {
    ...(serverFile !== undefined && { "mcp-config": serverFile }),
    // The same argument as the SDK's own option, which warns on stderr that these calls are not asked about: that is
    // intended.
    ...(allowedTools.length > 0 && { allowedTools: allowedTools.join(",") }),
    // System prompt, hooks and servers come with the SDK's first request. Without this flag, the CLI resumes a cut
    // turn without them.
    ...(awaitsInitialize && { "await-initialize": null }),
  };
  return Object.keys(args).length === 0 ? undefined : args;
}

/**
 * The CLI records the first prompt of a session and keeps it, whatever a later start says. The caller's prompt must
 * apply, so nothing is recorded.
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

/** The SDK distinguishes an `undefined` option from a missing one. */
function definedOnly(options: Maybe<Options>): Options {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

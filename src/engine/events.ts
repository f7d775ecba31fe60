import type { ErrorCode } from "../wire/error-table.ts";
import type { WireError } from "../wire/error-wire.ts";
import type { JsonObject, JsonValue } from "../wire/json.ts";
import type { NoticeCode, NoticeLevel } from "../wire/session/notices.ts";
import type { StopReason } from "../wire/session/turn-events.ts";
import type { TokenUsage } from "../wire/session/shared-schemas.ts";

/**
 * What a session reports to the layers above, whatever version of SDK and CLI is below. Fields that are also part of
 * the session protocol have its names, so that they pass through untranslated.
 */
export type EngineEvent =
  | ReadyEvent
  | TurnStartedEvent
  | MessageStateEvent
  | StateEvent
  | TextDeltaEvent
  | ThinkingDeltaEvent
  | ThinkingProgressEvent
  | RetractedEvent
  | ToolInputDeltaEvent
  | ToolUseEvent
  | ToolResultEvent
  | ToolProgressEvent
  | ToolDeniedEvent
  | ToolSummaryEvent
  | BackgroundTaskEvent
  | BackgroundTaskChangedEvent
  | BackgroundTasksEvent
  | UsageEvent
  | RetryEvent
  | CompactingEvent
  | CompactedEvent
  | ModeChangedEvent
  | ModelChangedEvent
  | SessionChangedEvent
  | ConversationResetEvent
  | MemoryRecalledEvent
  | McpStatusEvent
  | RateLimitEvent
  | CommandsChangedEvent
  | TitleChangedEvent
  | AuthStatusEvent
  | PromptSuggestionEvent
  | HookEvent
  | ProgressEvent
  | NoticeEvent
  | StalledEvent
  | TurnEndedEvent
  | DebugEvent
  | ClosedEvent;

/** Set on everything that a sub-agent did: the id of the tool call that started it. */
interface FromSubagent {
  parent?: string;
}

/** The CLI is up and has read its settings. */
export interface ReadyEvent {
  type: "ready";
  session_id: string;
  model: string;
  mode: string;
  cli_version: string;
  tools: string[];
  slash_commands: string[];
  capabilities: string[];
}

/** Quiet messages have a turn of their own too, without a request to the model. */
export interface TurnStartedEvent {
  type: "turn_started";
  /** The pushed messages that the turn begins with; none if the CLI continues by itself. */
  messages: string[];
}

/** How far a pushed message is on its way into the conversation. */
export interface MessageStateEvent {
  type: "message_state";
  id: string;
  state: "queued" | "started" | "completed" | "cancelled";
}

/** `waiting`: a tool call waits for a decision. */
export interface StateEvent {
  type: "state";
  state: "idle" | "running" | "waiting";
}

/** Deltas with the same block number make one text; the number counts within the turn. */
export interface TextDeltaEvent extends FromSubagent {
  type: "text_delta";
  block: number;
  text: string;
}

export interface ThinkingDeltaEvent extends FromSubagent {
  type: "thinking_delta";
  block: number;
  text: string;
}

/** The model thinks without showing its thoughts: a rough token count so far. */
export interface ThinkingProgressEvent {
  type: "thinking_progress";
  tokens: number;
}

/** The answer was cut in the middle of a block and begins again, or another answer replaces it: the block is void. */
export type RetractedEvent = { type: "retracted" } & Retracted;

/** A text or thinking block by its number, a call by its id. */
export type Retracted = { block: number } | { request_id: string };

/** A piece of a tool call's input, as JSON text; pieces of one call join to the whole. */
export interface ToolInputDeltaEvent {
  type: "tool_input_delta";
  request_id: string;
  tool: string;
  partial_json: string;
}

/** A complete tool call, sent once. */
export interface ToolUseEvent extends FromSubagent {
  type: "tool_use";
  request_id: string;
  tool: string;
  input: JsonValue;
}

export interface ToolResultEvent extends FromSubagent {
  type: "tool_result";
  request_id: string;
  output: JsonValue;
  is_error: boolean;
  /** The tool's own structured output, where it has one. */
  detail?: JsonValue;
}

export interface ToolProgressEvent extends FromSubagent {
  type: "tool_progress";
  request_id: string;
  tool: string;
  elapsed_ms: number;
}

/** A call that a rule or a mode refused, without asking a person. */
export interface ToolDeniedEvent {
  type: "tool_denied";
  request_id: string;
  tool: string;
  reason: string;
  /** The sub-agent that made the call, by the id of its task. */
  agent_id?: string;
}

/** The purpose of these calls in a few words, where the settings ask for it. */
export interface ToolSummaryEvent {
  type: "tool_summary";
  request_ids: string[];
  text: string;
}

/** A sub-agent, or a command that continues in the background. */
export interface BackgroundTaskEvent {
  type: "background_task";
  task_id: string;
  state: "started" | "progress" | "completed" | "failed" | "stopped";
  kind?: string;
  request_id?: string;
  description?: string;
  output_file?: string;
  /** Kind of the sub-agent. */
  agent?: string;
  /** The turn does not wait for it. */
  background?: boolean;
  /** Its progress in a few words. */
  summary?: string;
  last_tool?: string;
  /** What it has spent so far, or in total when it has ended. */
  spent?: TaskSpending;
}

export interface TaskSpending {
  total_tokens: number;
  tool_uses: number;
  duration_ms: number;
}

/** A change of a task; `background_task` reports its beginning and its end. */
export interface BackgroundTaskChangedEvent {
  type: "background_task_changed";
  task_id: string;
  status?: string;
  description?: string;
  /** The turn no longer waits for it. */
  background?: boolean;
  error?: string;
}

/** All tasks that run in the background now. */
export interface BackgroundTasksEvent {
  type: "background_tasks";
  tasks: { task_id: string; kind: string; description: string; agent?: string }[];
}

/** Tokens of one request to the model. */
export interface UsageEvent {
  type: "usage";
  usage: TokenUsage;
}

export interface RetryEvent extends FromSubagent {
  type: "retry";
  attempt: number;
  max: number;
  delay_ms: number;
  /** Absent when there was no answer at all. */
  status?: number;
  code: ErrorCode;
}

/** The conversation is being compacted; `compacted` follows, or a notice of the failure. */
export interface CompactingEvent {
  type: "compacting";
}

export interface CompactedEvent {
  type: "compacted";
  trigger: "manual" | "auto";
  pre_tokens: number;
  post_tokens?: number;
}

export interface ModeChangedEvent {
  type: "mode_changed";
  mode: string;
}

export interface ModelChangedEvent {
  type: "model_changed";
  model: string;
}

/** The CLI continues under another session id, with an empty conversation. */
export interface SessionChangedEvent {
  type: "session_changed";
  session_id: string;
  previous: string;
}

/** The CLI has closed the conversation. `session_changed` follows with the id of the new one. */
export interface ConversationResetEvent {
  type: "conversation_reset";
  cause?: string;
}

/** What the CLI recalled of earlier conversations and added to this one. */
export interface MemoryRecalledEvent {
  type: "memory_recalled";
  /** Has the content only where no file has it. */
  memories: { path: string; scope: string; content?: string }[];
}

export interface McpStatusEvent {
  type: "mcp_status";
  servers: { name: string; status: string }[];
}

export interface RateLimitEvent {
  type: "rate_limit";
  status: string;
  resets_at?: string;
  kind?: string;
  /** The used part of the limit, as the API reports it. */
  utilization?: number;
}

export interface CommandsChangedEvent {
  type: "commands_changed";
  commands: string[];
}

/** The CLI has found a title for the conversation. */
export interface TitleChangedEvent {
  type: "title_changed";
  title: string;
}

/** The CLI signs in, and reports its progress. A failure comes as a notice. */
export interface AuthStatusEvent {
  type: "auth_status";
  authenticating: boolean;
  output: string[];
}

/** What the user might say next, where the settings ask for suggestions. */
export interface PromptSuggestionEvent {
  type: "prompt_suggestion";
  text: string;
}

/** A hook of the user's settings ran. */
export interface HookEvent {
  type: "hook";
  hook_id: string;
  name: string;
  event: string;
  state: "started" | "progress" | "success" | "error" | "cancelled";
  output?: string;
}

/** The CLI works on something beside the conversation, or has called the model. */
export interface ProgressEvent {
  type: "progress";
  of: "model_request" | "control_request" | "plugin_install" | "elicitation" | "files_persisted";
  state: "started" | "progress" | "completed";
  /** The plugin, or the MCP server. */
  name?: string;
}

/** Something that the CLI wants a person to know. */
export interface NoticeEvent {
  type: "notice";
  code: NoticeCode;
  message: string;
  level?: NoticeLevel;
  data?: JsonObject;
  /** What to do next. */
  hint?: string;
}

/** The model has been silent for this long while an answer was due. The turn goes on. */
export interface StalledEvent extends FromSubagent {
  type: "stalled";
  silent_ms: number;
  /** The error that the turn would end with if it were given up now. */
  error: WireError;
}

/** Each turn that the CLI finishes ends with exactly one of these. */
export interface TurnEndedEvent {
  type: "turn_ended";
  /** The pushed messages that this turn took in. */
  messages: string[];
  stop_reason: StopReason;
  text: string;
  duration_ms: number;
  usage: TokenUsage;
  /** The CLI's running total: it continues over turns, and restarts when the CLI was killed. */
  total_cost_usd: number;
  /** How often the model was called. */
  model_turns: number;
  /** By model, counted like the cost. */
  model_usage: Record<string, ModelTokens>;
  /** Calls that a person, a rule or a mode refused. */
  denials: DeniedCall[];
  /** The object that `outputSchema` asked for, if the model returned one. */
  structured_output?: JsonValue;
  error?: WireError;
}

export interface ModelTokens extends TokenUsage {
  cost_usd: number;
}

export interface DeniedCall {
  request_id: string;
  tool: string;
  input: JsonValue;
}

/** A message that this version cannot name or read; for the program's log. */
export interface DebugEvent {
  type: "debug";
  /** Type and subtype of the SDK's message or of its part. */
  sdk_type: string;
  message: JsonValue;
  /** What could not be read. */
  problem?: string;
}

/** The last event. With an error when the CLI ended unexpectedly. */
export interface ClosedEvent {
  type: "closed";
  error?: WireError;
}

// A door of the engine: one CLI process, with what goes in and what comes out. It loads the
// Agent SDK.
export { createSdkMcpServer } from "@anthropic-ai/claude-agent-sdk";
export type { ElicitationAnswer, ElicitationRequest } from "./ask-elicitation.ts";
export { Engine } from "./engine.ts";
export type { McpServerReport, StartOptions } from "./engine.ts";
export type {
  BackgroundTaskEvent,
  BackgroundTasksEvent,
  DebugEvent,
  DeniedCall,
  EngineEvent,
  MemoryRecalledEvent,
  ModelTokens,
  ProgressEvent,
  ToolResultEvent,
  ToolSummaryEvent,
  ToolUseEvent,
  RateLimitEvent,
  TurnEndedEvent,
} from "./events.ts";
export type { EngineMessage, MessageContent } from "./to-sdk-message.ts";
export type { EngineOptions, McpServerConfig, PermissionMode } from "./sdk-options.ts";
export type { Decide, PermissionDecision, PermissionRequest } from "./ask-permission.ts";
export type { TaskOutput } from "./task-output.ts";
export type { ProposedCall, Veto } from "./hook-before-tool.ts";

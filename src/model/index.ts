// Public entry: agent-switchboard/model.
export { ClaudeCodeModel } from "./claude-code-model.ts";
export type { ModelResponse, OutputOf, ResponseWithMetadata } from "./claude-code-model.ts";
export { createClaudeCode } from "./ai/provider.ts";
export type { ClaudeCodeProvider } from "./ai/provider.ts";
export type { ModelForV6 } from "./ai/adapt-to-ai-sdk-6.ts";
export type { ClaudeCodeCallOptions, ClaudeCodeSettings } from "./ai/provider-settings.ts";
export type { ModelMessage } from "./to-prompt.ts";
export type {
  ModelOptions,
  PermissionPolicy,
  RequestOptions,
  ToolsetOptions,
} from "./model-options.ts";
export type { ParameterRestrictions, Restriction } from "./parameter-restrictions.ts";
export type { RequestMetadata } from "./request-metadata.ts";
export type {
  Decide,
  DeniedCall,
  EngineEvent as ModelEvent,
  ModelTokens,
  PermissionDecision,
  PermissionRequest,
} from "../engine/index.ts";
export type { Tool, ToolContext, ToolDefinition } from "../bridge/index.ts";
export { defineTool } from "../bridge/index.ts";
export { content } from "../bridge/index.ts";
export {
  BridgeStartupError,
  ClaudeCodeError,
  IPCToolExecutionError,
  ToolNotFoundError,
  ToolsetNotRegisteredError,
} from "../wire/errors.ts";

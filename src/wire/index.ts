// Everything that crosses a boundary of the program: framing, message schemas and errors. Safe in a browser.

export { encodeFrame, frameBytes, FrameSplitter } from "./frame.ts";
export { encodeLine, lineBytes, LineSplitter } from "./lines.ts";
export { encodeJson, MAX_MESSAGE_BYTES, parseJson } from "./json-payload.ts";
export type { Parsed } from "./json-payload.ts";
export { decode } from "./splitter.ts";
export type { Split, Splitter } from "./splitter.ts";

export { MAX_JSON_DEPTH } from "./json.ts";
export { JsonObjectSchema, JsonValueSchema } from "./json-schemas.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { Checked } from "./check-message.ts";
export {
  IPC_PROTOCOL_VERSION,
  SESSION_PROTOCOL_VERSION,
  TEAM_PROTOCOL_VERSION,
} from "./protocol-versions.ts";

export { errorCodes, errorTable, isErrorCode } from "./error-table.ts";
export type { ErrorCode, ErrorRow } from "./error-table.ts";
export {
  BridgeStartupError,
  ClaudeCodeError,
  errorOf,
  IPCConnectionError,
  IPCError,
  IPCMessageSizeError,
  IPCToolExecutionError,
  ToolNotFoundError,
  ToolsetNotRegisteredError,
} from "./errors.ts";
export type { ErrorDetails } from "./errors.ts";
export { WireErrorSchema } from "./error-schema.ts";
export type { WireError } from "./error-schema.ts";
export { fromWire, toIpcError, toJsonRpcError, toWire } from "./error-wire.ts";
export type { JsonRpcErrorObject } from "./error-wire.ts";

// The bridge: the IPC contract, the tool schema file, and own mode.
export {
  DEFAULT_TRANSPORT,
  PRIVATE_DIRECTORY_PERMISSIONS,
  SCHEMA_FILE_PERMISSIONS,
  SCHEMA_FILE_PREFIX,
  SCHEMA_FILE_SUFFIX,
  SOCKET_FILE_PREFIX,
  SOCKET_FILE_SUFFIX,
  SOCKET_PERMISSIONS,
  transportTypes,
} from "./ipc-files.ts";
export type { TransportType } from "./ipc-files.ts";
export {
  CallToolParamsSchema,
  IPCErrorPayloadSchema,
  IPCErrorResponseSchema,
  IPCMessageSchema,
  IPCRequestSchema,
  IPCResponseSchema,
  parseIpcRequest,
  parseIpcResponse,
  ToolResultContentSchema,
  ToolResultSchema,
} from "./ipc.ts";
export type {
  CallToolParams,
  IPCErrorPayload,
  IPCErrorResponse,
  IPCMessage,
  IPCRequest,
  IPCResponse,
  ToolResult,
  ToolResultContent,
} from "./ipc.ts";
export {
  parseToolSchemaFile,
  ToolAnnotationsSchema,
  ToolSchemaFileSchema,
  ToolSchemaSchema,
} from "./tool-schema-file.ts";
export type { ToolAnnotations, ToolSchema, ToolSchemaFile } from "./tool-schema-file.ts";
export {
  JsonRpcErrorSchema,
  JsonRpcIdSchema,
  JsonRpcMessageSchema,
  JsonRpcNotificationSchema,
  JsonRpcRequestSchema,
  JsonRpcResponseSchema,
  parseJsonRpcMessage,
} from "./mcp.ts";
export type {
  JsonRpcError,
  JsonRpcId,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
} from "./mcp.ts";

// A session and its clients.
export { DEFAULT_DENIAL, parseCommand, SessionCommandSchema } from "./session/commands.ts";
export type { SessionCommand, SessionCommandInput, SessionCommandOf } from "./session/commands.ts";
export { parseEvent, SessionEventSchema } from "./session/events.ts";
export type { SessionEvent, SessionEventOf } from "./session/events.ts";
export {
  parseSessionMessage,
  SessionAnswerSchema,
  SessionMessageSchema,
} from "./session/answers.ts";
export type {
  DropOutcome,
  MessageOver,
  SessionAnswer,
  SessionAnswerOf,
  SessionMessage,
  StoppedOutcome,
} from "./session/answers.ts";
export type { ElicitAction } from "./session/elicitation.ts";
export type { Choices, ModelChoice, SlashCommand } from "./session/choices.ts";
export type { Completions, FileItem } from "./session/completion.ts";
export type { McpServerConfigs, McpServerOutcome } from "./session/mcp-servers.ts";
export { PendingRequestSchema } from "./session/approval-events.ts";
export type {
  ApprovalOutcome,
  PendingRequest,
  Question,
  ScopeOption,
} from "./session/approval-events.ts";
export type { TodoItem } from "./session/state-events.ts";
export type { StopReason } from "./session/turn-events.ts";
export type {
  OfferedTool,
  OfferedToolInput,
  ToolContent,
  ToolOffer,
} from "./session/offered-tools.ts";
export { NoticeCodeSchema } from "./session/notices.ts";
export type { NoticeCode } from "./session/notices.ts";
export {
  AnswersSchema,
  ApprovalScopeSchema,
  BackgroundTaskSchema,
  ContextUsageSchema,
  EffortSchema,
  McpServerSchema,
  MessagePrioritySchema,
  PermissionModeSchema,
  reservedTypes,
  SessionStateSchema,
  TokenUsageSchema,
} from "./session/shared-schemas.ts";
export type {
  Answers,
  ApprovalScope,
  BackgroundTask,
  ConnectedClient,
  ContextUsage,
  Effort,
  Grant,
  McpServer,
  MessagePriority,
  PermissionMode,
  SessionActivity as SessionState,
  TokenUsage,
} from "./session/shared-schemas.ts";
export { FileChangeSchema } from "./session/file-change.ts";
export type { ChangeProblem, FileChange, Hunk } from "./session/file-change.ts";
export { BlobRefSchema, MAX_INLINE_BYTES, StoredTextSchema } from "./blob.ts";
export type { BlobRef, StoredText } from "./blob.ts";
export { ContentBlockSchema, StoredContentBlockSchema } from "./content.ts";
export type { ContentBlock, StoredContentBlock } from "./content.ts";

// Agents of a team.
export {
  AgentIdSchema,
  CCMessageSchema,
  MAX_CONTENT_BYTES,
  MAX_THINKING_BYTES,
  MessageMetadataSchema,
  MessageTypeSchema,
  parseCCMessage,
  parseSendMessageInput,
  PrioritySchema,
  SendMessageInputSchema,
} from "./team/messages.ts";
export type {
  AgentId,
  CCMessage,
  MessageMetadata,
  MessageType,
  Priority,
  SendMessageInput,
} from "./team/messages.ts";
export { TaskSchema, TaskStateSchema } from "./team/task.ts";
export type { Task, TaskState } from "./team/task.ts";
export { AgentStateSchema, TeamEventSchema } from "./team/events.ts";
export type { AgentState, TeamEvent, TeamEventOf, TurnPlace } from "./team/events.ts";
export type { AgentStatus } from "./team/agent-status.ts";
export { readResults } from "./team/read-results.ts";
export type {
  AgentBlob,
  AgentHistory,
  Budgets,
  LogStats,
  TaskPage,
  TaskReport,
  TeamDescription,
  TimelinePage,
} from "./team/read-results.ts";
export {
  isTeamMethod,
  parseTeamParams,
  TeamApprovalSchema,
  TeamDeltaSchema,
  TeamInitSchema,
  teamMethods,
  TeamStatusSchema,
} from "./team/control-methods.ts";
export type {
  TeamApproval,
  TeamDelta,
  TeamInit,
  TeamMethod,
  TeamParams,
  TeamParamsInput,
  TeamStatus,
} from "./team/control-methods.ts";
export { TeamRequestSchema, TeamServerMessageSchema } from "./team/socket-lines.ts";
export { CommunicationLogLevelSchema, CommunicationLogSchema } from "./team/communication-log.ts";
export type { CommunicationLog, CommunicationLogLevel } from "./team/communication-log.ts";
export { defaultRetryPolicy, timeouts } from "./timeouts.ts";
export type { RetryPolicy } from "./timeouts.ts";

// Public entry: agent-switchboard/bridge.
export type {
  AudioContent,
  McpContentBlock as ContentBlock,
  EmbeddedResource,
  ImageContent,
  MarkedResult,
  ResourceLink,
  TextContent,
  McpToolResult as ToolResult,
} from "./tool/make-mcp-content.ts";
export { content } from "./tool/make-mcp-content.ts";
export type { Progress, Tool, ToolContext, ToolDefinition } from "./tool/define-tool.ts";
export { defineTool, isTool } from "./tool/define-tool.ts";
export type { JsonSchema } from "./tool/json-schema-validator.ts";
export type { SdkServerConfig, SdkServerFactory } from "./host/sdk-endpoint.ts";
export type { BridgeSocket, BridgeSocketOptions } from "./host/bridge-socket.ts";
export { openBridgeSocket } from "./host/bridge-socket.ts";
export type { StdioServerConfig } from "./host/stdio-config.ts";
export type { StreamToolHost } from "./host/stream-host.ts";
export { createStreamToolHost } from "./host/stream-host.ts";
export type {
  HostState,
  SdkToolHostOptions,
  StdioToolHostOptions,
  ToolHost,
  ToolHostOptions,
} from "./host/tool-host.ts";
export { createToolHost } from "./host/tool-host.ts";
export {
  BridgeStartupError,
  IPCConnectionError,
  IPCError,
  IPCMessageSizeError,
  IPCToolExecutionError,
  ToolNotFoundError,
} from "../wire/errors.ts";
export {
  IPCErrorResponseSchema,
  IPCRequestSchema,
  IPCResponseSchema,
  parseIpcRequest,
  parseIpcResponse,
} from "../wire/ipc.ts";
export type { IPCErrorResponse, IPCRequest, IPCResponse } from "../wire/ipc.ts";
export type { TransportType } from "../wire/ipc-files.ts";
export {
  parseToolSchemaFile,
  ToolSchemaFileSchema,
  ToolSchemaSchema,
} from "../wire/tool-schema-file.ts";
export type { ToolAnnotations, ToolSchema, ToolSchemaFile } from "../wire/tool-schema-file.ts";
export { IPC_PROTOCOL_VERSION } from "../wire/protocol-versions.ts";

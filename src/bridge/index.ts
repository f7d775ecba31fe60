// Public entry: agent-switchboard/bridge. The host and the bridge process are being built; what they
// will say to each other is settled and is here.
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
export {
  parseToolSchemaFile,
  ToolSchemaFileSchema,
  ToolSchemaSchema,
} from "../wire/tool-schema-file.ts";
export type { ToolSchema, ToolSchemaFile } from "../wire/tool-schema-file.ts";
export { IPC_PROTOCOL_VERSION } from "../wire/version.ts";

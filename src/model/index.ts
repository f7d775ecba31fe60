// Public entry: agent-switchboard/model. The model is planned; the errors that its users will catch are
// settled and are here.
export {
  BridgeStartupError,
  ClaudeCodeError,
  IPCToolExecutionError,
  ToolNotFoundError,
} from "../wire/errors.ts";

// Public entry: agent-switchboard/client. A typed client of one session.
export { connectSession } from "./connect-session.ts";
export type { ConnectOptions } from "./connect-session.ts";
export {
  conversationAt,
  emptyConversation,
  fieldValue,
  fold,
  formFields,
  reconnectPolicy,
  SessionClient,
  SessionView,
  trim,
  TurnText,
} from "./core.ts";
export type {
  AcceptedMessage,
  ApproveOptions,
  CallWithoutResult,
  Choices,
  ClientOptions,
  Completions,
  ClientTool,
  Connect,
  ConnectionState,
  Conversation,
  ConversationItem,
  CutOutput,
  DenyOptions,
  EndedTurn,
  FileItem,
  McpServerConfigs,
  McpServerOutcome,
  FormField,
  FormOption,
  MessageItem,
  MessageOptions,
  ModelChoice,
  NoteItem,
  OpenTurn,
  Reset,
  SessionItem,
  SessionState,
  SlashCommand,
  StubItem,
  TextItem,
  ToolCallContext,
  ToolItem,
  ToolReply,
  Transport,
  Turn,
  Utterance,
  ViewStart,
} from "./core.ts";

// The messages themselves, for clients that speak the protocol on their own.
export { parseSessionMessage, SessionAnswerSchema } from "../wire/session/answers.ts";
export type { SessionAnswer, SessionMessage } from "../wire/session/answers.ts";
export { SessionCommandSchema } from "../wire/session/commands.ts";
export type { SessionCommand, SessionCommandInput } from "../wire/session/commands.ts";
export { SessionEventSchema } from "../wire/session/events.ts";
export type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
export type { FileChange, Hunk } from "../wire/session/file-change.ts";
export type { PendingRequest, Question } from "../wire/session/approval-events.ts";
export { SESSION_PROTOCOL_VERSION } from "../wire/protocol-versions.ts";

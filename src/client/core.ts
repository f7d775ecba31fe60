// Public entry: agent-switchboard/client/core. The part of the client that runs in a browser too: give
// `SessionClient.open` a way to connect, for example over a WebSocket.
export { reconnectPolicy } from "../stream/reconnect-policy.ts";
export { conversationAt } from "./conversation-at.ts";
export { emptyConversation } from "./conversation.ts";
export type {
  Conversation,
  ConversationItem,
  CutOutput,
  MessageItem,
  NoteItem,
  StubItem,
  TextItem,
  ToolItem,
  Turn,
} from "./conversation.ts";
export { fold } from "./fold-conversation.ts";
export { fieldValue, formFields } from "./form-fields.ts";
export type { FormField, FormOption } from "./form-fields.ts";
export { isDecidedByPolicy, requestText } from "./request-text.ts";
export type { RequestText } from "./request-text.ts";
export { trim } from "./trim-conversation.ts";
export { SessionClient } from "./session-client.ts";
export type { ApproveOptions, DenyOptions, MessageOptions } from "./session-client.ts";
export type { ClientOptions, ConnectionState } from "./session-connection.ts";
export type { Reset, SessionItem } from "./session-item.ts";
export { SessionView } from "./session-view.ts";
export type { EndedTurn, ViewStart } from "./session-view.ts";
export type { ClientTool, ToolCallContext, ToolReply } from "./own-tools.ts";
export { TurnText } from "./turn-text.ts";
export type { Utterance } from "./turn-text.ts";
export type { Connect, Transport } from "./transport.ts";
export { webConnect } from "./web-transport.ts";
export type { WebConnectOptions, WebSocketLike } from "./web-transport.ts";
// What a page and a gateway agree on.
export { gatewayCloseCodes, KEY_HEADER } from "../wire/gateway.ts";
export type { GatewayLink, GatewayRole, GatewaySignIn } from "../wire/gateway.ts";

// The parts of a session's state.
export type {
  AcceptedMessage,
  CallWithoutResult,
  OpenTurn,
  SessionState,
} from "../session-state/session-state.ts";

// What commands answer.
export type { Choices, ModelChoice, SlashCommand } from "../wire/session/choices.ts";
export type { Completions, FileItem } from "../wire/session/completion.ts";
export type { McpServerConfigs, McpServerOutcome } from "../wire/session/mcp-servers.ts";

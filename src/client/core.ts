// Public entry: agent-switchboard/client/core. The part of the client that runs in a browser too: give
// `SessionClient.open` a way to connect, for example over a WebSocket.
export { reconnectPolicy } from "../stream/reconnect-policy.ts";
export { emptyConversation } from "./conversation.ts";
export type {
  Conversation,
  ConversationItem,
  MessageItem,
  NoteItem,
  TextItem,
  ToolItem,
  Turn,
} from "./conversation.ts";
export { fold } from "./fold-conversation.ts";
export { SessionClient } from "./session-client.ts";
export type { ApproveOptions, DenyOptions, MessageOptions } from "./session-client.ts";
export type { ClientOptions, ConnectionState } from "./session-connection.ts";
export type { Reset, SessionItem } from "./session-item.ts";
export { SessionView } from "./session-view.ts";
export type { EndedTurn, ViewStart } from "./session-view.ts";
export { TurnText } from "./turn-text.ts";
export type { Utterance } from "./turn-text.ts";
export type { Connect, Transport } from "./transport.ts";

// The parts of a session's state.
export type {
  AcceptedMessage,
  CallWithoutResult,
  OpenTurn,
  SessionState,
} from "../session-state/session-state.ts";

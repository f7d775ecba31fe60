// Public entry: agent-switchboard/team/core. The part of the team's client that runs in a browser too: give
// `TeamClient.open` a way to connect, for example over a WebSocket.
export type { LogCursor } from "../stream/log-cursor.ts";
export { TeamClient } from "./client/team-client.ts";
export type { ConnectToTeam, TeamClientOptions } from "./client/team-client.ts";
export { readBlob, timelinePages } from "./client/read-pages.ts";
export { TeamView } from "./client/team-view.ts";
export type { AgentView, MessageView } from "./client/team-view.ts";
export type { TeamRequestLine } from "./client/team-protocol.ts";
export type {
  ReadStatus,
  TeamItem,
  TeamReader,
  TeamRequest,
  TeamReset,
} from "./client/team-reader.ts";
export type {
  CommunicationEntry,
  DeadMessage,
  MessageReport,
  TeamResults,
} from "../wire/team/method-results.ts";

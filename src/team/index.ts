// Public entry: agent-switchboard/team. Start a team, talk to a running one, read a stopped one.
export { loadTeam } from "./file/load-team.ts";
export type { Team } from "./file/team.ts";
export { removeTeam } from "./stored-team.ts";
export { startTeam } from "./start-team.ts";
export type { StartedTeam, StartTeamOptions } from "./start-team.ts";
export type { TeamBus } from "./host/remote/open-remote-host.ts";
export type { OfficeEnd } from "./office/open-office.ts";
export { migrateTeam } from "./office/migrate-team.ts";
export type { MemoryMove } from "./office/migrate-team.ts";
export { readBusStatus } from "./office/read-bus-status.ts";
export { moveOffice } from "./office/move-office.ts";
export { waitForOffice } from "./office/wait-for-office.ts";
export { joinTeam } from "./host/serve/join-team.ts";
export type { JoinedTeam, JoinTeamOptions } from "./host/serve/join-team.ts";
export type { HostNotice } from "./host/agent-host.ts";
export type { Project } from "./state-dir/project-of-state-dir.ts";
export { connectTeam, controlSocket, openStoppedTeam } from "./find-and-connect.ts";
export type { ConnectTeamOptions } from "./find-and-connect.ts";
export { readBlob, TeamClient, TeamView, timelinePages } from "./core.ts";
export type {
  AgentView,
  ConnectToTeam,
  LogCursor,
  MessageView,
  ReadStatus,
  TeamClientOptions,
  TeamItem,
  TeamReader,
  TeamRequest,
  TeamRequestLine,
  TeamReset,
} from "./core.ts";

// What agents say to each other, and how that is recorded.
export { CommunicationLogSchema } from "../wire/team/communication-log.ts";
export type { CommunicationLog } from "../wire/team/communication-log.ts";
export type {
  TeamApproval,
  TeamDelta,
  TeamInit,
  TeamStatus,
} from "../wire/team/control-methods.ts";
export type { TeamEvent, TeamEventOf } from "../wire/team/events.ts";
export {
  CCMessageSchema,
  MessageTypeSchema,
  parseCCMessage,
  parseSendMessageInput,
  PrioritySchema,
  SendMessageInputSchema,
} from "../wire/team/messages.ts";
export type { CCMessage, MessageType, Priority, SendMessageInput } from "../wire/team/messages.ts";
export type { TeamResults } from "../wire/team/method-results.ts";
export type { Task } from "../wire/team/task.ts";
export { TEAM_PROTOCOL_VERSION } from "../wire/protocol-versions.ts";

// Public entry: agent-switchboard/session. The session, and the protocol that it speaks.
export { startSession } from "./core/session.ts";
export type { SessionEnd, Session, SessionOptions, StatusFields } from "./core/session.ts";
export { archiveSession, deleteSession, renameSession } from "./host/change-stored-session.ts";
export type { DeletedSession, StoredIn } from "./host/change-stored-session.ts";
export { listSessions } from "./host/list-sessions.ts";
export type { ListedSession, ListQuery } from "./host/list-sessions.ts";
export { SessionAnswerSchema } from "../wire/session/answers.ts";
export type { SessionAnswer } from "../wire/session/answers.ts";
export { parseCommand, SessionCommandSchema } from "../wire/session/commands.ts";
export type { SessionCommand } from "../wire/session/commands.ts";
export { parseEvent, SessionEventSchema } from "../wire/session/events.ts";
export type { SessionEvent } from "../wire/session/events.ts";
export { SESSION_PROTOCOL_VERSION } from "../wire/protocol-versions.ts";

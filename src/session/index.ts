// Public entry: agent-switchboard/session. The session is being built; the protocol that it will speak
// is settled and is here.
export { SessionAnswerSchema } from "../wire/session-answers.ts";
export type { SessionAnswer } from "../wire/session-answers.ts";
export { parseCommand, SessionCommandSchema } from "../wire/session-commands.ts";
export type { SessionCommand } from "../wire/session-commands.ts";
export { parseEvent, SessionEventSchema } from "../wire/session-events.ts";
export type { SessionEvent } from "../wire/session-events.ts";
export { SESSION_PROTOCOL_VERSION } from "../wire/version.ts";

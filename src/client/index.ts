// Public entry: agent-switchboard/client. The client is being built; what it will send to a session and
// hear from it is settled and is here.
export { parseSessionMessage, SessionAnswerSchema } from "../wire/session-answers.ts";
export type { SessionAnswer, SessionMessage } from "../wire/session-answers.ts";
export { SessionCommandSchema } from "../wire/session-commands.ts";
export type { SessionCommand, SessionCommandInput } from "../wire/session-commands.ts";
export { SessionEventSchema } from "../wire/session-events.ts";
export type { SessionEvent } from "../wire/session-events.ts";
export { SESSION_PROTOCOL_VERSION } from "../wire/version.ts";

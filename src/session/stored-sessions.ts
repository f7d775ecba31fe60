// The door to what sessions keep on this machine: where their logs are, and which of them run. It loads nothing of what
// runs a session.
export type { LogEntry } from "./files/log-index.ts";
export { LogIndex } from "./files/log-index.ts";
export { heldSessions } from "./files/session-lock.ts";
export { privateDirectory, stateDirectory, userStateDirectory } from "./files/state-directory.ts";

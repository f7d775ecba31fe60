// The door to the events that a session has logged, whether or not it runs. Apart from stored-sessions.ts, because quick
// commands load that one and read no log.
export type { StoredLog } from "./log/stored-log.ts";
export { openStoredLog } from "./log/stored-log.ts";

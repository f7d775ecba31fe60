import { join } from "node:path";

/** The process that listens there is the team's one process. */
export const controlSocket = (stateDir: string): string => join(stateDir, "team.sock");

/** The same team for those who only watch. */
export const observeSocket = (stateDir: string): string => join(stateDir, "observe.sock");

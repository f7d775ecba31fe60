import { join } from "node:path";

/** Whoever listens there is the team's one process. */
export const controlSocket = (stateDir: string): string => join(stateDir, "team.sock");

import type { TeamClient } from "../../src/team/core.ts";
import { connectTeam } from "../../src/team/find-and-connect.ts";

/** A client for one connection: tests see a lost connection as an error. */
export const connectTeamOnce = (path: string, name?: string): Promise<TeamClient> =>
  connectTeam(path, {
    ...(name !== undefined && { name }),
    policy: { tries: 0, firstDelayMs: 0, maxDelayMs: 0, factor: 1 },
  });

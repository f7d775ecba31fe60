import type { TeamDescription } from "../../wire/team/read-results.ts";
import type { TeamRecords } from "../team-records.ts";
import type { AgentLogs } from "../host/agent-host.ts";

/** Where the methods that only read find what they return: the same for a running team and for a stopped one. */
export interface ReadSource {
  readonly teamRecords: TeamRecords;
  readonly logs: AgentLogs;
  /** The team file as it was loaded. @throws when it is not known. */
  readonly description: () => Promise<TeamDescription>;
}

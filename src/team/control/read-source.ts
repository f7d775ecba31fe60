import type { TeamDescription } from "../../wire/team/read-results.ts";
import type { Books } from "../books.ts";
import type { AgentLogs } from "../host/agent-host.ts";

/** Where the methods that only read find what they return: the same for a running team and for a stopped one. */
export interface ReadSource {
  readonly books: Books;
  readonly logs: AgentLogs;
  /** The team file as it was loaded. @throws when it is not known. */
  readonly description: () => Promise<TeamDescription>;
}

import type { TeamMethod, TeamParams } from "../../wire/team/control-methods.ts";
import type { RunningTeam } from "../running-team.ts";

/** What a client is called in records of who decided. */
export interface Caller {
  readonly name: string;
}

/** What a method of the control socket does. The server itself does the rest. */
export type Handlers = {
  [Method in Exclude<TeamMethod, "attach" | "down" | "hello">]: (
    team: RunningTeam,
    params: TeamParams<Method>,
    caller: Caller,
  ) => Promise<unknown>;
};

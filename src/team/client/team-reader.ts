import type { LogCursor } from "../../stream/log-cursor.ts";
import type {
  TeamDelta,
  TeamMethod,
  TeamParamsInput,
  TeamStatus,
} from "../../wire/team/control-methods.ts";
import type { TeamEvent } from "../../wire/team/events.ts";
import type { TeamResults } from "../../wire/team/method-results.ts";

/** The team's timeline is another one: earlier events no longer count. */
export interface TeamReset {
  readonly type: "reset";
  readonly logId: string;
}

export type TeamItem = TeamEvent | TeamDelta | TeamReset;

/** The status of a running team, or of a stopped one, which has no process. */
export type ReadStatus = Omit<TeamStatus, "pid"> & {
  readonly pid?: number;
  /** Of a stopped team: when its last event happened. */
  readonly last_at?: string;
};

/** What a client may request; how it attaches is the client's own business. */
export type TeamRequest = Exclude<TeamMethod, "attach" | "hello">;

/** What can be read of a team, running or stopped. */
export interface TeamReader extends AsyncDisposable {
  readonly init: ReadStatus;
  request<Method extends TeamRequest>(
    method: Method,
    params: TeamParamsInput<Method>,
  ): Promise<TeamResults[Method]>;
  /**
   * Calls the listener with every piece of speech, and with every event after the given place: once and in order. It
   * starts from the beginning when the log is another one, or does not have that event.
   */
  follow(place: LogCursor, listener: (item: TeamItem) => void): Promise<{ reset: boolean }>;
  /** Settles when no more events will come. */
  readonly closed: Promise<unknown>;
}

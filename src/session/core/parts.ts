import type { EventLog } from "../log/event-log.ts";
import type { Approvals } from "./approvals.ts";
import type { Control } from "./control.ts";
import type { CostMeter } from "./cost-meter.ts";
import type { Inbox } from "./inbox.ts";
import type { Recorder } from "./recorder.ts";
import type { SessionOptions } from "./session-types.ts";
import type { Timers } from "./timers.ts";
import type { TranscriptWatch } from "./transcript-watch.ts";
import type { Turns } from "./turns.ts";

/** What a session is made of. Each part owns its own state; all of them write to the one log. */
export interface Parts {
  readonly options: SessionOptions;
  readonly log: EventLog;
  readonly timers: Timers;
  readonly recorder: Recorder;
  readonly inbox: Inbox;
  readonly turns: Turns;
  readonly approvals: Approvals;
  readonly control: Control;
  readonly watch: TranscriptWatch;
  readonly cost: CostMeter;
}

/** Where its conversation comes from, for as long as the CLI has no file of its own for it. */
export function originOf({
  log,
  options,
}: Pick<Parts, "log" | "options">): SessionOptions["origin"] {
  const { forkedFrom, sessionId = options.sessionId } = log.state;
  if (forkedFrom !== undefined) return { resume: forkedFrom, fork: true };
  // What began after /clear has no past.
  const isFirst = sessionId === options.sessionId && options.origin?.fork !== true;
  return isFirst ? options.origin : undefined;
}

/** The CLI's id of the session, which changes with `/clear`. */
export const sessionIdOf = ({ log, options }: Pick<Parts, "log" | "options">): string =>
  log.state.sessionId ?? options.sessionId;

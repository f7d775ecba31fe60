import type { EventLog } from "../log/event-log.ts";
import type { Approvals } from "./approvals/approvals.ts";
import type { ModeAndModel } from "./mode-and-model.ts";
import type { ContinueAtReset } from "./continue-at-reset.ts";
import type { CostMeter } from "./cost-meter.ts";
import type { Inbox } from "./inbox.ts";
import type { ToolOffers } from "./offers/tool-offers.ts";
import type { Recorder } from "./event-recorder.ts";
import type { RunningTasks } from "./running-tasks.ts";
import type { SessionOptions } from "./session-types.ts";
import type { SessionServers } from "./session-servers.ts";
import type { Title } from "./conversation-title.ts";
import type { Timers } from "../../time/clock.ts";
import type { TranscriptWatch } from "./watch-transcript.ts";
import type { Turns } from "./open-and-end-turns.ts";

/** The parts of a session. Each owns its own state; all of them write to one log. */
export interface SessionContext {
  readonly options: SessionOptions;
  readonly log: EventLog;
  readonly timers: Timers;
  readonly recorder: Recorder;
  readonly inbox: Inbox;
  readonly turns: Turns;
  readonly approvals: Approvals;
  readonly modeAndModel: ModeAndModel;
  readonly title: Title;
  readonly servers: SessionServers;
  readonly watch: TranscriptWatch;
  readonly cost: CostMeter;
  readonly offers: ToolOffers;
  readonly continuation: ContinueAtReset;
  readonly tasks: RunningTasks;
}

/** Where the conversation comes from, while the CLI has no file of its own for it. */
export function originOf({
  log,
  options,
}: Pick<SessionContext, "log" | "options">): SessionOptions["origin"] {
  const { forkedFrom, forkedAt, sessionId = options.sessionId } = log.state;
  if (forkedFrom !== undefined) {
    return { resume: forkedFrom, fork: true, ...(forkedAt !== undefined && { at: forkedAt }) };
  }
  // A conversation that began with `/clear` has no origin.
  const isFirst = sessionId === options.sessionId && options.origin?.fork !== true;
  return isFirst ? options.origin : undefined;
}

/** The CLI's id of the session, which changes with `/clear`. */
export const sessionIdOf = ({ log, options }: Pick<SessionContext, "log" | "options">): string =>
  log.state.sessionId ?? options.sessionId;

import type { Bus } from "../bus/bus.ts";
import type { Logger } from "../log/logger.ts";
import { toWire } from "../wire/error-wire.ts";
import type { Parts } from "./delivery/parts.ts";
import type { Waits } from "./delivery/waits.ts";
import type { Team } from "./file/team.ts";
import type { CommunicationRecord } from "./record/communication.ts";
import type { Spending } from "./record/spending.ts";
import type { RateLimiter } from "./rules/rate.ts";
import type { TaskBook } from "./tasks/task-book.ts";
import type { Timeline } from "./timeline/timeline.ts";

/** What all parts of a running team share. */
export interface Office {
  readonly team: Team;
  readonly bus: Bus;
  readonly timeline: Timeline;
  readonly tasks: TaskBook;
  readonly communication: CommunicationRecord;
  readonly spending: Spending;
  readonly rate: RateLimiter;
  readonly waits: Waits;
  readonly parts: Parts;
  /** How many messages the rules have refused, ever. */
  readonly refusals: () => Promise<number>;
  readonly log: Logger;
}

/** Something that should not have failed did, and nobody waits for it: people are told. */
export function tellTrouble({ timeline, log }: Office, what: string, error: unknown): void {
  const { message, hint } = toWire(error);
  log.error({ err: error }, what);
  timeline.append({ type: "notice", level: "error", message: `${what}: ${message}`, hint });
}

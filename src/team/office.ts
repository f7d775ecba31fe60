import type { Logger } from "../log/logger.ts";
import { toWire } from "../wire/error-wire.ts";
import type { Books } from "./books.ts";
import type { Waits } from "./delivery/waits.ts";
import type { Team } from "./file/team.ts";
import type { RateLimiter } from "./rules/rate.ts";

/** What all parts of a running team share. */
export interface Office extends Books {
  readonly team: Team;
  readonly rate: RateLimiter;
  readonly waits: Waits;
  readonly log: Logger;
}

/** Something that should not have failed did, and nobody waits for it: people are told. */
export function tellTrouble({ timeline, log }: Office, what: string, error: unknown): void {
  const { message, hint } = toWire(error);
  log.error({ err: error }, what);
  timeline.append({ type: "notice", level: "error", message: `${what}: ${message}`, hint });
}

import type { Logger } from "../log/logger.ts";
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

import type { Bus } from "../bus/bus.ts";
import { createLogger } from "../log/logger.ts";
import type { TeamEvent } from "../wire/team/events.ts";
import { nowMs, openBooks } from "./books.ts";
import { Waits } from "./delivery/waits.ts";
import type { Team } from "./file/team.ts";
import type { Office } from "./office.ts";
import type { CommunicationRecord } from "./record/communication.ts";
import { RateLimiter } from "./rules/rate.ts";

function logLoss(communication: CommunicationRecord, event: TeamEvent): void {
  if (event.type !== "agent_state") return;
  const { agent, state, reason = "" } = event;
  if (state === "restarting" || state === "quarantined") communication.lost(agent, state, reason);
}

/** The team's books, as the processes before this one have left them. */
export async function openOffice(team: Team, bus: Bus): Promise<Office> {
  const log = createLogger({ name: "switchboard", fallback: "warn" });
  const books = await openBooks(bus, (error) =>
    log.error({ err: error }, "A record was not written."),
  );
  const { timeline, communication } = books;
  timeline.subscribe((events) => events.forEach((event) => logLoss(communication, event)));
  const rate = new RateLimiter(team.limits, nowMs);
  await rate.load(bus);
  return { ...books, team, rate, waits: new Waits(), log };
}

import type { Bus } from "../bus/bus.ts";
import { createLogger } from "../log/logger.ts";
import type { TeamEvent } from "../wire/team-events.ts";
import { Parts } from "./delivery/parts.ts";
import { Waits } from "./delivery/waits.ts";
import type { Team } from "./file/team.ts";
import type { Office } from "./office.ts";
import { CommunicationRecord } from "./record/communication.ts";
import { Spending } from "./record/spending.ts";
import { RateLimiter } from "./rules/rate.ts";
import { TaskBook } from "./tasks/task-book.ts";
import { Timeline } from "./timeline/timeline.ts";

/** It never goes back, whatever is done to the machine's time. */
const nowMs = (): number => performance.now();

function logLoss(communication: CommunicationRecord, event: TeamEvent): void {
  if (event.type !== "agent_state") return;
  const { agent, state, reason = "" } = event;
  if (state === "restarting" || state === "quarantined") communication.lost(agent, state, reason);
}

/** The team's books, as the processes before this one have left them. */
export async function openOffice(team: Team, bus: Bus): Promise<Office> {
  const { records } = bus;
  const log = createLogger({ name: "switchboard", fallback: "warn" });
  const timeline = await Timeline.open(records);
  const onFailure = (error: unknown): void =>
    log.error({ err: error }, "A record was not written.");
  timeline.onFailure(onFailure);
  const tasks = await TaskBook.open({
    records,
    nowMs,
    onChange: (task, writes) => timeline.append({ type: "task_changed", task }, writes),
  });
  const parts = new Parts(tasks);
  await parts.load(bus);
  const communication = new CommunicationRecord(records, onFailure);
  timeline.subscribe((events) => events.forEach((event) => logLoss(communication, event)));
  const rate = new RateLimiter(team.limits, nowMs);
  await rate.load(bus);
  return {
    team,
    bus,
    timeline,
    tasks,
    parts,
    communication,
    spending: new Spending(records),
    rate,
    waits: new Waits(),
    refusals: async () => Number((await records.get("counters", "refusals"))?.value["count"] ?? 0),
    log,
  };
}

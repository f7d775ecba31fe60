import type { SessionClient } from "../../src/client/index.ts";
import { createLogger } from "../../src/log/logger.ts";
import { AgentInbox } from "../../src/team/delivery/inbox.ts";
import { Outbox } from "../../src/team/delivery/outbox.ts";
import type { Recipient } from "../../src/team/delivery/recipient-port.ts";
import { SendCounts } from "../../src/team/delivery/send-counts.ts";
import { RateLimiter } from "../../src/team/rules/rate-limiter.ts";
import type { FakeTeam } from "./fake-team.ts";

/**
 * An inbox of a running team that none of its agents serves.
 *
 * @param known what differs from a recipient that is idle and has seen nothing.
 */
export function extraInbox(
  { running }: FakeTeam,
  id: string,
  session: () => Pick<SessionClient, "send"> | undefined,
  known: Partial<Recipient> = {},
): AgentInbox {
  const { team, teamRecords, waits } = running;
  const { bus, tasks, timeline, communication, contents } = teamRecords;
  const rate = new RateLimiter(team.limits, () => performance.now());
  const counts = new SendCounts(rate, bus.records, tasks);
  const recipient: Recipient = {
    id,
    get session() {
      const there = session();
      return there && { send: there.send.bind(there), drop: async () => "too_late" as const };
    },
    isAsleep: false,
    wake: () => {},
    isBusy: false,
    openMessages: [],
    runningTurn: {},
    cutTasks: new Set(),
    hasSeen: () => false,
    hasTaken: () => false,
    isOpenCall: () => false,
    openCallFor: () => undefined,
    refusalOf: async () => undefined,
    ...known,
  };
  return new AgentInbox({
    recipient,
    bus,
    tasks,
    waits,
    team,
    log: createLogger({ name: "extra-inbox", fallback: "warn" }),
    outbox: new Outbox({ bus, tasks, timeline, communication, contents, counts, sendMs: 10_000 }),
    onTrouble: () => {},
  });
}

import { AgentInbox } from "../../src/team/delivery/inbox.ts";
import { Outbox } from "../../src/team/delivery/outbox.ts";
import type { Recipient } from "../../src/team/delivery/recipient.ts";
import { SendCounts } from "../../src/team/delivery/send-counts.ts";
import type { FakeTeam } from "./fake-team.ts";

/** An inbox of a running team that none of its agents serves. Its recipient is idle, and has seen nothing. */
export function extraInbox(
  { running }: FakeTeam,
  id: string,
  session: () => Recipient["session"],
): AgentInbox {
  const { office } = running;
  const { bus, tasks, timeline, communication, rate, waits, team, log } = office;
  const counts = new SendCounts(rate, bus.records, tasks);
  const recipient: Recipient = {
    id,
    get session() {
      return session();
    },
    isAsleep: false,
    wake: () => {},
    isBusy: false,
    openMessages: [],
    cutTasks: new Set(),
    hasSeen: () => false,
    isOpenCall: () => false,
    openCallFor: () => undefined,
    refusalOf: async () => undefined,
  };
  return new AgentInbox({
    recipient,
    bus,
    tasks,
    waits,
    team,
    log,
    outbox: new Outbox({ bus, tasks, timeline, communication, counts, sendMs: 10_000 }),
    onTrouble: () => {},
  });
}

import { randomUUID } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { StoredBus } from "../../bus/stored-bus.ts";
import { errorOf } from "../../wire/errors.ts";
import { extraInbox } from "../../../test/support/extra-inbox.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { messageOf } from "../../../test/support/team-messages.ts";

const pair = `
lead: boss
agents:
  boss: { description: leads, prompt: p }
  coder: { description: codes, prompt: p }
`;

const unavailable = () => Promise.reject(errorOf("bus_unavailable", "The thread has ended."));
const noRoom = () => Promise.reject(errorOf("disk_full", "No room."));

test("AgentInbox delivers a message again soon after a read from the bus failed", async () => {
  const team = await FakeTeam.up(pair, { boss: (said) => `heard ${said}` });
  const find = vi.spyOn(team.running.teamRecords.tasks, "find").mockImplementationOnce(unavailable);
  expect((await team.ask("one")).text).toBe("heard one");
  expect(find.mock.settledResults[0]?.type).toBe("rejected");
});

test("AgentInbox acknowledges a seen message again soon after the bus refused the first acknowledgement", async () => {
  const team = await FakeTeam.up(pair, { boss: () => "done" });
  const bus = team.running.teamRecords.bus as StoredBus;
  const settle = bus.settle.bind(bus);
  let failed = 0;
  vi.spyOn(bus, "settle").mockImplementation((lease, how, writes) => {
    if (how.kind !== "ack" || failed > 0) return settle(lease, how, writes);
    failed += 1;
    return noRoom();
  });
  await team.ask("one");
  await expect.poll(() => bus.counts()).toEqual({});
  expect([failed, team.agent("boss").turns]).toEqual([1, 1]);
});

test("AgentInbox releases one message of a lost session though it cannot release the other", async () => {
  const team = await FakeTeam.up(pair, {});
  const { teamRecords } = team.running;
  const bus = teamRecords.bus as StoredBus;
  let isThere = true;
  const session = { send: async () => ({ id: "" }) };
  const inbox = extraInbox(team, "ghost", () => (isThere ? session : undefined));
  inbox.start();
  const ids = [randomUUID(), randomUUID()];
  for (const id of ids) await bus.send(messageOf({ id, to_agent: "ghost", type: "info" }));
  await team.until("message_moved", { fits: (e) => e.id === ids[1] && e.step === "pushed" });
  isThere = false;
  vi.spyOn(bus, "settle").mockImplementationOnce(noRoom);
  await inbox.sessionLost("gone");
  const free: string[] = [];
  while (free.length < ids.length) {
    const [delivery] = await bus.claim("ghost", { waitMs: 10_000 });
    free.push(delivery?.message.id ?? "nothing");
  }
  await inbox.stop();
  expect(free).toEqual(expect.arrayContaining(ids));
});

test("send_message with wait fails after the send: the answer is delivered as a message", async () => {
  const over = Promise.withResolvers<void>();
  const team = await FakeTeam.up(pair, {
    boss: async (said, self) => {
      if (said !== "go") return `got ${said.includes("THE ANSWER") ? "it" : said}`;
      const { isError } = await self.send("coder", "do it", { wait: true });
      over.resolve();
      return isError ? "failed" : "too early";
    },
    coder: async () => {
      await over.promise;
      return "THE ANSWER";
    },
  });
  const { bus } = team.running.teamRecords;
  const history = bus.history.bind(bus);
  let asked = 0;
  vi.spyOn(bus, "history").mockImplementation((filter) => {
    asked += 1;
    // The rules look for questions first, and then the wait does.
    return asked === 2 ? unavailable() : history(filter);
  });
  expect((await team.ask("go")).text).toBe("got it");
});

test("a turn's end is published once though the first write of its position fails", async () => {
  const team = await FakeTeam.up(pair, { boss: () => "the answer" });
  const { records } = team.running.teamRecords.bus;
  const write = records.write.bind(records);
  let failed = 0;
  vi.spyOn(records, "write").mockImplementation((writes, options) => {
    const isPlace = writes.some((each) => each.kind === "put" && each.collection === "agents");
    if (!isPlace || failed > 0) return write(writes, options);
    failed += 1;
    return noRoom();
  });
  await team.ask("go");
  const { session } = team.agent("boss");
  const place = async () => (await records.get("agents", "boss"))?.value["since"];
  await expect.poll(place).toBe(session.lastSeq);
  expect(failed).toBe(1);
  const done = team.told.filter((e) => e.type === "message_moved" && e.step === "done");
  expect(done).toHaveLength(1);
});

import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test, vi } from "vitest";
import { extraInbox } from "../../../test/support/extra-inbox.ts";
import { FakeTeam } from "../../../test/support/fake-team.ts";
import { messageOf } from "../../../test/support/team-messages.ts";
import type { StoredBus } from "../../bus/stored-bus.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Recipient } from "./recipient-port.ts";
import type { WaitEnd } from "./open-waits.ts";

const CALL = "toolu_1";

/** An inbox whose agent has a call that waits for the answer to a message, and all that is sent to its session. */
async function stageOf(known: Partial<Recipient> = {}) {
  const team = await FakeTeam.up("lead: boss\nagents: { boss: { description: d, prompt: p } }", {});
  const { teamRecords, waits } = team.running;
  const { bus } = teamRecords;
  const pushed: string[] = [];
  const session = {
    send: async (_words: unknown, { id = "" }: { id?: string } = {}) => {
      pushed.push(id);
      return { id };
    },
  };
  const isOpenCall = (call: string): boolean => call === CALL;
  const inbox = extraInbox(team, "ghost", () => session, { isOpenCall, ...known });
  onTestFinished(() => inbox.stop());
  inbox.start();
  const request = randomUUID();
  const ends: WaitEnd[] = [];
  const wait = {
    waiter: "ghost",
    awaited: "boss",
    root_id: request,
    asks: true,
    messageId: request,
    alsoFor: [],
    toolUseId: CALL,
    end: (end: WaitEnd) => {
      ends.push(end);
      waits.remove(wait);
    },
  };
  waits.add(wait);
  const answer = messageOf({
    id: randomUUID(),
    from_agent: "boss",
    to_agent: "ghost",
    type: "task_response",
    reply_to: request,
    root_id: request,
  });
  return { bus: bus as StoredBus, inbox, answer, pushed, ends };
}

test("an answer that a call has returned is not pushed, though the bus could not be told at first", async () => {
  const { bus, inbox, answer, pushed, ends } = await stageOf();
  await bus.send(answer);
  await expect.poll(() => ends).toHaveLength(1);
  vi.spyOn(bus, "settle").mockRejectedValueOnce(errorOf("disk_full", "No room."));
  await inbox.callEnded(CALL, answer.id);
  await expect.poll(() => bus.counts()).toEqual({});
  expect(pushed).toEqual([]);
});

test("the end of a turn waits until what the turn has read is settled", async () => {
  const { bus, inbox, answer, ends } = await stageOf();
  await bus.send(answer);
  await expect.poll(() => ends).toHaveLength(1);
  const noRoom = errorOf("disk_full", "No room.");
  vi.spyOn(bus, "settle").mockRejectedValueOnce(noRoom).mockRejectedValueOnce(noRoom);
  await inbox.callEnded(CALL, answer.id);
  await expect(inbox.settleArrived()).rejects.toMatchObject({ code: "bus_unavailable" });
  await inbox.settleArrived();
  expect(await bus.counts()).toEqual({});
});

test("an answer that the session has in its log is pushed again, and no call returns it", async () => {
  const { bus, answer, pushed, ends } = await stageOf({ hasTaken: () => true });
  await bus.send(answer);
  await expect.poll(() => pushed).toEqual([answer.id]);
  expect(ends).toEqual([{ kind: "delivered" }]);
});

test("a write that fails about an old lease does not give back a newer one", async () => {
  const { bus, inbox, answer, pushed } = await stageOf({ isOpenCall: () => false });
  await bus.send({ ...answer, reply_to: null, type: "info" });
  await expect.poll(() => pushed).toHaveLength(1);
  const failure = Promise.withResolvers<never>();
  const settle = bus.settle.bind(bus);
  const spy = vi.spyOn(bus, "settle").mockImplementationOnce(async (...args) => {
    // It is done, and the answer that says so is lost.
    await settle(...args);
    return failure.promise;
  });
  const lost = inbox.sessionLost("gone");
  await expect.poll(() => pushed).toHaveLength(2);
  failure.reject(errorOf("bus_unavailable", "The thread has ended."));
  await lost;
  expect(spy).toHaveBeenCalledTimes(1);
});

test("a message that another process has pushed and that was read is settled, though nothing is known of it here", async () => {
  const { bus, inbox, answer, pushed } = await stageOf({ isAsleep: true, wake: () => {} });
  await inbox.stop();
  await bus.send(answer);
  await inbox.seen(answer.id);
  await inbox.settleArrived();
  expect(await bus.get(answer.id)).toMatchObject({ state: "done" });
  expect(pushed).toEqual([]);
});

test("a message that was read without a lease does not become a dead letter when it expires before the next claim", async () => {
  const { bus, inbox, answer } = await stageOf({ isAsleep: true, wake: () => {} });
  await inbox.stop();
  const read = { ...answer, metadata: { ...answer.metadata, ttl: 1 } };
  const unread = { ...read, id: randomUUID() };
  for (const message of [read, unread]) await bus.send(message);
  await inbox.seen(read.id);
  const died = async (): Promise<string[]> => {
    for (const delivery of await bus.claim("ghost", { waitMs: 0 })) {
      await delivery.nak({ counted: false });
    }
    return (await bus.deadLetters.list()).items.map(({ message }) => message.id);
  };
  await expect.poll(died, { timeout: 10_000 }).toEqual([unread.id]);
  expect(await bus.get(answer.id)).toMatchObject({ state: "done" });
});

test("a message that was read while a claim has it is written down as read, and settled with that claim", async () => {
  const { bus, inbox, answer, pushed } = await stageOf({ isAsleep: true, wake: () => {} });
  await inbox.stop();
  await bus.send(answer);
  const [delivery] = await bus.claim("ghost");
  await inbox.seen(answer.id);
  await inbox.settleArrived();
  expect(delivery?.message.id).toBe(answer.id);
  const { value } = (await bus.records.get("unpublished", `arrived/${answer.id}`)) ?? {};
  expect(value).toMatchObject({ how: "seen" });
  expect(pushed).toEqual([]);
});

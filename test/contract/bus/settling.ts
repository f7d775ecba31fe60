import { expect, it } from "vitest";
import { makeMessage } from "../../support/bus/messages.ts";
import type { Adapter } from "../../support/bus/stage.ts";
import { claimNow, contentsOf, setStage } from "../../support/bus/stage.ts";

export function settling(adapter: Adapter): void {
  it("[BUS-12] never delivers again what was acknowledged", async () => {
    const stage = await setStage(adapter);
    await stage.bus.send(makeMessage());
    const [delivery] = await claimNow(stage.bus);
    expect(await delivery!.ack()).toBe(true);
    expect(await delivery!.ack()).toBe(false);
    const bus = await stage.reopen();
    expect(await claimNow(bus)).toEqual([]);
    expect(await bus.counts()).toEqual({});
  });

  it("[BUS-35] finishes a message that no claim has, also an expired one, with its writes", async () => {
    const stage = await setStage(adapter);
    const { bus, clock } = stage;
    const [read, expired, leased] = [
      makeMessage({ content: "read" }),
      makeMessage({ content: "expired", ttl: 1 }),
      makeMessage({ content: "leased", from: "cid" }),
    ] as const;
    for (const message of [leased, read, expired]) await bus.send(message);
    const [delivery] = await claimNow(bus, "bob", 1);
    const writes = [{ kind: "put", collection: "c", key: "k", value: { n: 1 } }] as const;
    expect(await bus.finish(leased, { writes })).toBe(false);
    expect(await bus.records.get("c", "k")).toBeUndefined();
    expect(await bus.finish(read, { writes })).toBe(true);
    expect(await bus.records.get("c", "k")).toMatchObject({ value: { n: 1 } });
    expect(await bus.finish(read)).toBe(false);
    clock.advance(2_000);
    expect(await bus.finish(expired)).toBe(true);
    expect(await delivery!.ack()).toBe(true);
    expect(await bus.finish(leased)).toBe(false);
    const again = await stage.reopen();
    expect(await claimNow(again)).toEqual([]);
    expect((await again.deadLetters.list()).items).toEqual([]);
    expect(await again.get(expired.id)).toMatchObject({ state: "done" });
  });

  it("[BUS-35] finishing a message lets later ones out of its delay", async () => {
    const { bus } = await setStage(adapter);
    const first = makeMessage({ content: "first" });
    await bus.send(first);
    await bus.send(makeMessage({ content: "second" }));
    const [delivery] = await claimNow(bus, "bob", 1);
    await delivery!.nak({ delayMs: 60_000 });
    const waiting = bus.claim("bob");
    await bus.counts();
    expect(await bus.finish(first)).toBe(true);
    expect(contentsOf(await waiting)).toEqual(["second"]);
  });

  it("[BUS-13] returns a message to its place, after its delay", async () => {
    const { bus, clock } = await setStage(adapter);
    const parts = [
      { content: "ann 1" },
      { content: "ann 2" },
      { content: "cid 1", from: "cid" },
      { content: "ann answers", type: "task_response" },
    ] as const;
    for (const each of parts) await bus.send(makeMessage(each));
    const [first] = await claimNow(bus, "bob", 1);
    expect(await first!.nak({ delayMs: 1_000 })).toBe(true);
    expect(contentsOf(await claimNow(bus))).toEqual(["cid 1", "ann answers"]);
    const waiting = bus.claim("bob", { max: 10 });
    await bus.counts();
    clock.advance(1_000);
    const again = await waiting;
    expect(contentsOf(again)).toEqual(["ann 1", "ann 2"]);
    expect(again.map(({ attempt }) => attempt)).toEqual([2, 1]);
  });

  it("[BUS-13] wakes a claim when another one returns a message", async () => {
    const { bus } = await setStage(adapter);
    await bus.send(makeMessage({ content: "back" }));
    const [first] = await claimNow(bus);
    const waiting = bus.claim("bob");
    await bus.counts();
    await first!.nak();
    expect(contentsOf(await waiting)).toEqual(["back"]);
  });

  it("[BUS-14] makes a dead letter of a message that fails too often", async () => {
    const { bus, clock } = await setStage(adapter, { maxAttempts: 3 });
    const message = makeMessage();
    await bus.send(message);
    const [one] = await claimNow(bus);
    await one!.nak({ counted: false });
    const [still] = await claimNow(bus);
    expect(still!.attempt).toBe(1);
    await still!.nak();
    const [two] = await bus.claim("bob", { leaseMs: 10 });
    expect(two!.attempt).toBe(2);
    clock.advance(10);
    const [three] = await claimNow(bus);
    expect(three!.attempt).toBe(3);
    await three!.nak({ why: "the session refused it" });
    expect(await claimNow(bus)).toEqual([]);
    expect(await bus.deadLetters.get(message.id)).toMatchObject({
      message,
      cause: "attempts",
      why: "the session refused it",
      attempts: 3,
      fate: "open",
    });
  });

  it("[BUS-14] makes a dead letter when the last lease runs out", async () => {
    const { bus, clock } = await setStage(adapter, { maxAttempts: 1 });
    const messages = [makeMessage({ content: "poison" }), makeMessage({ content: "next" })];
    for (const message of messages) await bus.send(message);
    await bus.claim("bob", { leaseMs: 10 });
    clock.advance(10);
    expect(contentsOf(await claimNow(bus))).toEqual(["next"]);
    expect(await bus.deadLetters.get(messages[0]!.id)).toMatchObject({ cause: "attempts" });
  });

  it("[BUS-15] extends a lease from now", async () => {
    const { bus, clock } = await setStage(adapter);
    await bus.send(makeMessage());
    const [delivery] = await bus.claim("bob", { leaseMs: 100 });
    clock.advance(90);
    expect(await delivery!.extend()).toBe(true);
    clock.advance(90);
    expect(await claimNow(bus)).toEqual([]);
    expect(await delivery!.extend(1_000)).toBe(true);
    clock.advance(999);
    expect(await claimNow(bus)).toEqual([]);
  });

  it("[BUS-16] makes a dead letter at once of what cannot be delivered", async () => {
    const { bus } = await setStage(adapter);
    const message = makeMessage();
    await bus.send(message);
    const [delivery] = await claimNow(bus);
    expect(await delivery!.term("no such agent")).toBe(true);
    expect(await bus.deadLetters.get(message.id)).toMatchObject({
      cause: "refused",
      why: "no such agent",
    });
    expect(await bus.get(message.id)).toMatchObject({ state: "dead" });
  });

  it("[BUS-17] accepts a late ack while no other claim has the message", async () => {
    const { bus, clock } = await setStage(adapter);
    await bus.send(makeMessage());
    const [delivery] = await bus.claim("bob", { leaseMs: 10 });
    clock.advance(20);
    expect(await delivery!.ack()).toBe(true);
    expect(await claimNow(bus)).toEqual([]);
  });

  it("[BUS-17] refuses to settle a message that another claim has", async () => {
    const { bus, clock } = await setStage(adapter);
    const message = makeMessage();
    await bus.send(message);
    const [late] = await bus.claim("bob", { leaseMs: 10 });
    clock.advance(10);
    const [holder] = await claimNow(bus);
    expect(await late!.ack()).toBe(false);
    expect(await late!.nak()).toBe(false);
    expect(await late!.term("late")).toBe(false);
    expect(await late!.extend()).toBe(false);
    expect(await bus.get(message.id)).toMatchObject({ state: "leased", attempts: 1 });
    expect(await holder!.ack()).toBe(true);
  });

  it("[BUS-18] does not deliver after the time to live", async () => {
    const { bus, clock } = await setStage(adapter);
    const message = makeMessage({ ttl: 10 });
    await bus.send(message);
    const [delivery] = await claimNow(bus);
    expect(delivery!.isExpired()).toBe(false);
    clock.advance(9_999);
    expect(delivery!.isExpired()).toBe(false);
    clock.advance(1);
    expect(delivery!.isExpired()).toBe(true);
    await delivery!.nak({ counted: false });
    await bus.send(makeMessage({ content: "alive" }));
    expect(contentsOf(await claimNow(bus))).toEqual(["alive"]);
    expect(await bus.deadLetters.get(message.id)).toMatchObject({ cause: "expired" });
  });

  it("[BUS-19] frees leases and delays when it is opened again, and counts no attempt", async () => {
    const stage = await setStage(adapter, { maxAttempts: 2 });
    for (const content of ["1", "2", "3"]) await stage.bus.send(makeMessage({ content }));
    for (let opening = 0; opening < 3; opening += 1) {
      const deliveries = await claimNow(stage.bus);
      expect(contentsOf(deliveries)).toEqual(["1", "2", "3"]);
      expect(deliveries.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
      await deliveries[0]!.nak({ counted: false, delayMs: 1_000_000 });
      await stage.reopen();
    }
  });

  it("[BUS-20] writes the records of a settlement, and nothing when it came too late", async () => {
    const { bus } = await setStage(adapter);
    await bus.send(makeMessage());
    const [delivery] = await claimNow(bus);
    const write = { kind: "append", collection: "log", value: { what: "delivered" } } as const;
    expect(await delivery!.ack({ writes: [write] })).toBe(true);
    expect(await delivery!.ack({ writes: [write] })).toBe(false);
    expect((await bus.records.query({ collection: "log" })).items).toHaveLength(1);
  });
}

import { expect, it } from "vitest";
import type { Bus } from "../../../src/bus/bus.ts";
import type { MessageParts } from "../../support/bus/messages.ts";
import { makeMessage } from "../../support/bus/messages.ts";
import type { Adapter } from "../../support/bus/stage.ts";
import { claimNow, contentsOf, setStage } from "../../support/bus/stage.ts";

export function claiming(adapter: Adapter): void {
  it("[BUS-6] leases a message to one claim at a time, and only its recipient's", async () => {
    const { bus, clock } = await setStage(adapter);
    await sendAll(bus, [{ content: "one" }]);
    expect(await claimNow(bus, "cid")).toEqual([]);
    const [first] = await bus.claim("bob", { leaseMs: 1_000 });
    expect(await claimNow(bus)).toEqual([]);
    clock.advance(999);
    expect(await claimNow(bus)).toEqual([]);
    clock.advance(1);
    const [second] = await claimNow(bus);
    expect(second?.message).toEqual(first?.message);
    expect(second?.attempt).toBe(2);
  });

  it("[BUS-7] wakes a waiting claim at once, without a clock", async () => {
    const { bus } = await setStage(adapter);
    const waiting = bus.claim("bob");
    const others = bus.claim("cid", { waitMs: 1 });
    await bus.counts();
    await bus.send(makeMessage({ content: "wake" }));
    expect(contentsOf(await waiting)).toEqual(["wake"]);
    expect(bus.capabilities().adapter).toBe(adapter.name);
    await bus.close();
    expect(await others).toEqual([]);
  });

  it("[BUS-7] wakes a claim when a lease runs out", async () => {
    const { bus, clock } = await setStage(adapter);
    await sendAll(bus, [{ content: "one" }]);
    await bus.claim("bob", { leaseMs: 50 });
    const waiting = bus.claim("bob");
    await bus.counts();
    await bus.counts();
    clock.advance(50);
    expect((await waiting).map(({ attempt }) => attempt)).toEqual([2]);
  });

  it("[BUS-7] ends a wait by signal, by time and by closing the bus", async () => {
    const { bus, clock } = await setStage(adapter);
    const controller = new AbortController();
    const aborted = bus.claim("bob", { signal: controller.signal });
    const timed = bus.claim("bob", { waitMs: 100 });
    const left = bus.claim("bob");
    await bus.counts();
    controller.abort();
    expect(await aborted).toEqual([]);
    clock.advance(100);
    expect(await timed).toEqual([]);
    await bus.close();
    expect(await left).toEqual([]);
    expect(await bus.claim("bob").catch((error: unknown) => error)).toMatchObject({
      code: "bus_closed",
    });
  });

  it("[BUS-7] returns deliveries one by one as an inbox", async () => {
    const { bus } = await setStage(adapter);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const delivery of bus.inbox("bob")) {
        seen.push(delivery.message.content);
        await delivery.ack();
        if (seen.length === 3) return;
      }
    })();
    await sendAll(bus, [{ content: "1" }, { content: "2" }, { content: "3" }]);
    await reading;
    expect(seen).toEqual(["1", "2", "3"]);
  });

  it("[BUS-8] keeps the order of each sender in each line, across openings", async () => {
    const stage = await setStage(adapter);
    const numbers = Array.from({ length: 60 }, (_, index) => index);
    const before = numbers.slice(0, 30);
    await Promise.all(before.map((index) => stage.bus.send(makeMessage(partsOf(index)))));
    const bus = await stage.reopen();
    await sendAll(bus, numbers.slice(30).map(partsOf));
    expect(contentsOf(await claimNow(bus))).toEqual(numbers.map(String));
  });

  it("[BUS-9] delivers the most pressing first", async () => {
    const { bus } = await setStage(adapter);
    const sent = ["low", "normal", "high", "urgent"] as const;
    await sendAll(
      bus,
      sent.map((priority) => ({ priority, content: priority })),
    );
    expect(contentsOf(await claimNow(bus))).toEqual(["urgent", "high", "normal", "low"]);
  });

  it("[BUS-9] lets only a bounded number of messages overtake a low one", async () => {
    const { bus } = await setStage(adapter);
    await sendAll(bus, [{ priority: "low", content: "low" }]);
    const flood = Array.from({ length: 1_000 }, () => makeMessage({ priority: "urgent" }));
    await Promise.all(flood.map((message) => bus.send(message)));
    const deliveries = await bus.claim("bob", { max: 1_001, maxBytes: Infinity });
    const position = contentsOf(deliveries).indexOf("low");
    expect(position).toBeGreaterThan(100);
    expect(position).toBeLessThanOrEqual(400);
  });

  it("[BUS-9] keeps that bound when the bus is reopened in between", async () => {
    const stage = await setStage(adapter);
    await sendAll(stage.bus, [{ priority: "low", content: "low" }]);
    await flood(stage.bus);
    const overtaking = await claimNow(stage.bus, "bob", 300);
    expect(contentsOf(overtaking)).not.toContain("low");
    await Promise.all(overtaking.map((delivery) => delivery.ack()));
    const bus = await stage.reopen();
    await flood(bus);
    const rest = contentsOf(await claimNow(bus, "bob", 301));
    expect(300 + rest.indexOf("low")).toBeLessThanOrEqual(400);
    expect(rest).toContain("low");
  });

  it("[BUS-10] takes only what is accepted, and no answer waits behind a request", async () => {
    const { bus } = await setStage(adapter);
    await sendAll(bus, [
      { type: "task_request", content: "request" },
      { type: "task_response", content: "answer" },
      { type: "task_request", priority: "urgent", content: "urgent request" },
      { type: "info", content: "note" },
      { type: "ping", content: "ping" },
    ]);
    const midTurn = [{ lanes: ["answer"] }, { priorities: ["urgent"] }] as const;
    const taken = await bus.claim("bob", { max: 10, accept: midTurn });
    expect(contentsOf(taken)).toEqual(["urgent request", "answer"]);
    expect(await bus.claim("bob", { accept: [], waitMs: 0 })).toEqual([]);
    const control = await bus.claim("bob", { max: 10, accept: [{ lanes: ["control"] }] });
    expect(contentsOf(control)).toEqual(["ping"]);
    expect(contentsOf(await claimNow(bus))).toEqual(["request", "note"]);
  });

  it("[BUS-11] returns at most the given number and bytes, but always one", async () => {
    const { bus } = await setStage(adapter);
    await sendAll(
      bus,
      ["a", "b", "c", "d"].map((letter) => ({ content: letter.repeat(10_000) })),
    );
    const first = await bus.claim("bob", { max: 10, maxBytes: 5_000 });
    expect(contentsOf(first).map(([letter]) => letter)).toEqual(["a"]);
    const second = await bus.claim("bob", { max: 10, maxBytes: 25_000 });
    expect(contentsOf(second).map(([letter]) => letter)).toEqual(["b", "c"]);
  });
}

const flood = (bus: Bus): Promise<unknown> =>
  Promise.all(Array.from({ length: 300 }, () => bus.send(makeMessage({ priority: "urgent" }))));

async function sendAll(bus: Bus, parts: readonly MessageParts[]): Promise<void> {
  for (const each of parts) await bus.send(makeMessage(each));
}

const partsOf = (index: number): MessageParts => ({
  from: index % 2 ? "ann" : "cid",
  content: String(index),
});

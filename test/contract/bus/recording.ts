import { expect, it } from "vitest";
import type { Write } from "../../../src/bus/records.ts";
import { makeMessage } from "../../support/bus/messages.ts";
import type { Adapter } from "../../support/bus/stage.ts";
import { claimNow, contentsOf, setStage } from "../../support/bus/stage.ts";

export function recording(adapter: Adapter): void {
  it("[BUS-29] puts, appends, adds to and removes records, durably", async () => {
    const stage = await setStage(adapter);
    const { records } = stage.bus;
    await records.write([put("submitted")]);
    await records.write([put("working"), { kind: "append", collection: "log", value: { n: 1 } }]);
    await records.write([
      { kind: "add", collection: "counters", key: "c", amounts: { a: 1, b: 2 } },
      { kind: "add", collection: "counters", key: "c", amounts: { a: 0.5 } },
      { kind: "put", collection: "tasks", key: "gone", value: {} },
      { kind: "remove", collection: "tasks", key: "gone" },
      { kind: "remove", collection: "tasks", key: "never there" },
    ]);
    const again = (await stage.reopen()).records;
    expect(await again.get("tasks", "t1")).toEqual({
      collection: "tasks",
      key: "t1",
      at: Date.UTC(2026, 0, 1),
      value: { state: "working", deep: { list: [1, null] } },
      fields: { state: "working" },
    });
    expect((await again.get("counters", "c"))?.value).toEqual({ a: 1.5, b: 2 });
    expect(await again.get("tasks", "gone")).toBeUndefined();
    expect((await again.query({ collection: "log" })).items).toHaveLength(1);
    expect(
      (await again.query({ collection: "tasks", where: { state: "submitted" } })).items,
    ).toEqual([]);
  });

  it("[BUS-30] finds records by fields and time, page by page, in the order of creation", async () => {
    const { bus, clock } = await setStage(adapter);
    const keys = Array.from({ length: 12 }, (_, index) => `k${index}`);
    for (const [index, key] of keys.entries()) {
      const fields = { owner: index % 3 ? "ann" : "bob", open: index < 9 ? "yes" : "no" };
      await bus.records.write([{ kind: "put", collection: "t", key, value: { index }, fields }]);
      clock.advance(10);
    }
    const query = { collection: "t", where: { owner: "ann", open: "yes" }, limit: 4 };
    const first = await bus.records.query(query);
    await bus.records.write([{ kind: "add", collection: "t", key: "k1", amounts: { index: 100 } }]);
    const second = await bus.records.query({ ...query, cursor: first.cursor! });
    const found = [...first.items, ...second.items].map(({ key }) => key);
    expect(found).toEqual(["k1", "k2", "k4", "k5", "k7", "k8"]);
    expect(second.cursor).toBeUndefined();
    const [last] = (await bus.records.query({ collection: "t", order: "newest", limit: 1 })).items;
    expect(last?.key).toBe("k11");
    const start = Date.UTC(2026, 0, 1);
    const within = { collection: "t", since: start + 30, until: start + 50 };
    expect((await bus.records.query(within)).items.map(({ key }) => key)).toEqual([
      "k3",
      "k4",
      "k5",
    ]);
  });

  it("[BUS-31] writes all or nothing, and under a name once", async () => {
    const stage = await setStage(adapter);
    const spend = { kind: "add", collection: "spent", key: "ann", amounts: { usd: 2 } } as const;
    const wrong = { kind: "add", collection: "tasks", key: "t", amounts: { state: 1 } } as const;
    const write = (writes: Write[], once: string) => stage.bus.records.write(writes, { once });
    await stage.bus.records.write([
      { kind: "put", collection: "tasks", key: "t", value: { state: "text" } },
    ]);
    await expect(write([spend, wrong], "turn 1")).rejects.toMatchObject({ code: "invalid_params" });
    expect(await stage.bus.records.get("spent", "ann")).toBeUndefined();
    expect(await write([spend], "turn 1")).toEqual({ applied: true });
    expect(await write([spend], "turn 1")).toEqual({ applied: false });
    await stage.reopen();
    expect(await write([spend], "turn 1")).toEqual({ applied: false });
    expect(await write([spend], "turn 2")).toEqual({ applied: true });
    expect((await stage.bus.records.get("spent", "ann"))?.value).toEqual({ usd: 4 });
  });

  it.each([3_600_000, -3_600_000])(
    "[BUS-32] tolerates a clock that is set by %i ms",
    async (byMs) => {
      const stage = await setStage(adapter);
      const { clock } = stage;
      await stage.bus.send(makeMessage({ content: "1", ttl: 60 }));
      await stage.bus.send(makeMessage({ content: "2", ttl: 60, from: "cid" }));
      const [first] = await stage.bus.claim("bob", { leaseMs: 1_000 });
      clock.jump(byMs);
      expect(first!.isExpired()).toBe(false);
      expect(contentsOf(await claimNow(stage.bus))).toEqual(["2"]);
      clock.advance(1_000);
      expect(contentsOf(await claimNow(stage.bus))).toEqual(["1"]);
      await stage.bus.send(makeMessage({ content: "3" }));
      // What was set while the bus was closed it can only believe.
      const bus = await stage.reopen();
      await bus.send(makeMessage({ content: "4" }));
      expect(contentsOf(await claimNow(bus))).toEqual(byMs > 0 ? ["3", "4"] : ["1", "2", "3", "4"]);
      expect((await bus.deadLetters.list()).items).toHaveLength(byMs > 0 ? 2 : 0);
    },
  );

  it("[BUS-33] finishes earlier operations before it closes, and refuses later ones", async () => {
    const stage = await setStage(adapter);
    const sending = Array.from({ length: 100 }, () => stage.bus.send(makeMessage()));
    await Promise.all([stage.bus.close(), stage.bus.close()]);
    expect(await Promise.all(sending)).toHaveLength(100);
    await expect(stage.bus.send(makeMessage())).rejects.toMatchObject({ code: "bus_closed" });
    const bus = await stage.reopen();
    expect(await bus.counts()).toEqual({ bob: 100 });
  });
}

const put = (state: string): Write => ({
  kind: "put",
  collection: "tasks",
  key: "t1",
  value: { state, deep: { list: [1, null] } },
  fields: { state },
});

import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { makeMessage } from "../../support/bus/messages.ts";
import type { Adapter } from "../../support/bus/stage.ts";
import { claimNow, setStage } from "../../support/bus/stage.ts";

export function sending(adapter: Adapter): void {
  it("[BUS-1] has what it acknowledged when it is reopened", async () => {
    const stage = await setStage(adapter);
    const message = makeMessage({ content: "kept, with ünïcode \u2028 and \0" });
    expect(await stage.bus.send(message)).toEqual({ id: message.id, duplicate: false });
    const bus = await stage.reopen();
    const [delivery] = await claimNow(bus);
    expect(delivery?.message).toEqual(message);
    expect(delivery?.attempt).toBe(1);
  });

  it("[BUS-2] counts an id once, for ever", async () => {
    const stage = await setStage(adapter);
    const message = makeMessage();
    const receipts = await Promise.all([1, 2, 3].map(() => stage.bus.send(message)));
    expect(receipts.map(({ duplicate }) => duplicate)).toEqual([false, true, true]);
    const deliveries = await claimNow(stage.bus);
    expect(deliveries).toHaveLength(1);
    await deliveries[0]!.ack();
    const bus = await stage.reopen();
    expect(await bus.send(message)).toEqual({ id: message.id, duplicate: true });
    expect(await claimNow(bus)).toEqual([]);
    expect((await bus.history()).items).toHaveLength(1);
  });

  it("[BUS-3] treats a repetition at another time as the same message", async () => {
    const { bus } = await setStage(adapter);
    const message = makeMessage();
    await bus.send(message);
    const later = makeMessage({ id: message.id, timestamp: "2026-01-02T00:00:00.000Z" });
    expect(await bus.send({ ...later, hop: 3, path: ["bob", "ann"] })).toMatchObject({
      duplicate: true,
    });
    expect((await bus.get(message.id))?.message).toEqual(message);
  });

  const others = [
    { content: "other" },
    { to: "cid" },
    { from: "cid" },
    { type: "info" },
    { priority: "high" },
    { ttl: 5 },
    { replyTo: randomUUID() },
    { correlationId: "other" },
  ] as const;
  it.each(others)("[BUS-3] refuses another message under a known id: %o", async (parts) => {
    const { bus } = await setStage(adapter);
    const message = makeMessage();
    await bus.send(message);
    await expect(bus.send(makeMessage({ id: message.id, ...parts }))).rejects.toMatchObject({
      code: "message_conflict",
      data: { id: message.id },
    });
    expect((await bus.history()).items.map((stored) => stored.message)).toEqual([message]);
  });

  it("[BUS-4] refuses an invalid message, and goes on", async () => {
    const { bus } = await setStage(adapter);
    const message = makeMessage();
    await expect(bus.send({ ...message, id: "no-uuid" })).rejects.toMatchObject({
      code: "invalid_params",
    });
    await expect(bus.send({ ...message, content: "x".repeat(1_048_577) })).rejects.toMatchObject({
      code: "message_too_large",
    });
    expect(await bus.send({ ...message, content: "x".repeat(1_048_576) })).toMatchObject({
      duplicate: false,
    });
  });

  it("[BUS-5] writes the records of a message once, and nothing when it fails", async () => {
    const { bus } = await setStage(adapter);
    const message = makeMessage();
    const count = { kind: "add", collection: "roots", key: "r", amounts: { sent: 1 } } as const;
    await bus.send(message, { writes: [count] });
    await bus.send(message, { writes: [count] });
    expect((await bus.records.get("roots", "r"))?.value).toEqual({ sent: 1 });

    const next = makeMessage();
    const bad = { ...count, amounts: { sent: Number.NaN } };
    await expect(bus.send(next, { writes: [count, bad] })).rejects.toMatchObject({
      code: "invalid_params",
    });
    expect(await bus.get(next.id)).toBeUndefined();
    expect((await bus.records.get("roots", "r"))?.value).toEqual({ sent: 1 });
    expect(await bus.send(next, { writes: [count] })).toMatchObject({ duplicate: false });
  });

  it("[BUS-34] records what its recipient already has, and delivers it to no claim", async () => {
    const stage = await setStage(adapter);
    const message = makeMessage();
    const put = { kind: "put", collection: "c", key: "k", value: { here: true } } as const;
    const heard: string[] = [];
    stage.bus.watch(({ id }) => heard.push(id));
    const sent = stage.bus.send(message, { delivered: true, writes: [put] });
    expect(await sent).toEqual({ id: message.id, duplicate: false });
    expect(heard).toEqual([message.id]);
    expect(await stage.bus.send(message)).toMatchObject({ duplicate: true });
    const bus = await stage.reopen();
    expect(await bus.get(message.id)).toMatchObject({ state: "done", attempts: 0, message });
    expect((await bus.records.get("c", "k"))?.value).toEqual({ here: true });
    expect(await claimNow(bus)).toEqual([]);
    expect(await bus.counts()).toEqual({});
    expect((await bus.history()).items).toHaveLength(1);
  });
}

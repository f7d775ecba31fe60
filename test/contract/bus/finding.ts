import { expect, it } from "vitest";
import type { CCMessage } from "../../../src/wire/team/messages.ts";
import { makeMessage } from "../../support/bus/messages.ts";
import type { Adapter } from "../../support/bus/stage.ts";
import { claimNow, contentsOf, setStage } from "../../support/bus/stage.ts";

export function finding(adapter: Adapter): void {
  it("[BUS-21] reports the state of a message", async () => {
    const { bus } = await setStage(adapter);
    const message = makeMessage();
    expect(await bus.get(message.id)).toBeUndefined();
    await bus.send(message);
    expect(await bus.get(message.id)).toMatchObject({
      message,
      state: "waiting",
      attempts: 0,
      settledAt: null,
    });
    const [delivery] = await claimNow(bus);
    expect(await bus.get(message.id)).toMatchObject({ state: "leased" });
    await delivery!.ack();
    expect(await bus.get(message.id)).toMatchObject({
      state: "done",
      settledAt: Date.UTC(2026, 0, 1),
    });
  });

  it("[BUS-22] finds the reply to a message, before and after it came", async () => {
    const { bus, clock } = await setStage(adapter);
    const question = makeMessage({ correlationId: "c" });
    const answer = makeMessage({
      from: "bob",
      to: "ann",
      replyTo: question.id,
      correlationId: "c",
      type: "task_response",
    });
    await bus.send(question);
    expect(await bus.reply({ replyTo: question.id }, { waitMs: 0 })).toBeUndefined();
    const none = bus.reply({ replyTo: answer.id }, { waitMs: 100 });
    const byId = bus.reply({ replyTo: question.id });
    const byCorrelation = bus.reply({ correlationId: "c", to: "ann" });
    await bus.counts();
    await bus.send(answer);
    expect(await byId).toEqual(answer);
    expect(await byCorrelation).toEqual(answer);
    expect(await bus.reply({ replyTo: question.id })).toEqual(answer);
    clock.advance(100);
    expect(await none).toBeUndefined();
  });

  it("[BUS-23] pages through the history, by filter, both ways", async () => {
    const { bus } = await setStage(adapter);
    const sent: CCMessage[] = [];
    for (let index = 0; index < 25; index += 1) {
      const to = index % 5 === 0 ? "cid" : "bob";
      const message = makeMessage({ to, content: String(index) });
      sent.push(message);
      await bus.send(message);
    }
    const wanted = sent.filter(({ to_agent }) => to_agent === "bob");
    for (const order of ["oldest", "newest"] as const) {
      const seen: CCMessage[] = [];
      let cursor: string | undefined;
      do {
        const page = await bus.history({
          to: "bob",
          order,
          limit: 7,
          ...(cursor !== undefined && { cursor }),
        });
        seen.push(...page.items.map(({ message }) => message));
        cursor = page.cursor;
        // What arrives meanwhile disturbs no page.
        if (order === "newest") await bus.send(makeMessage({ content: "late" }));
      } while (cursor !== undefined);
      expect(seen).toEqual(order === "oldest" ? wanted : wanted.toReversed());
    }
    const { cursor } = await bus.history({ limit: 1, order: "oldest" });
    await expect(bus.history({ cursor: cursor!, order: "newest" })).rejects.toMatchObject({
      code: "invalid_params",
    });
    await expect(bus.history({ cursor: "rubbish" })).rejects.toMatchObject({
      code: "invalid_params",
    });
    const [first] = sent;
    const { items } = await bus.history({ rootId: first!.root_id, from: "ann", type: first!.type });
    expect(items.map(({ message }) => message)).toEqual([first]);
  });

  it("[BUS-24] tells watchers of each new message once, in order", async () => {
    const { bus } = await setStage(adapter);
    const heard: string[] = [];
    const stop = bus.watch(({ content }) => heard.push(content));
    const messages = ["1", "2", "3"].map((content) => makeMessage({ content }));
    await Promise.all([...messages, ...messages].map((message) => bus.send(message)));
    stop();
    await bus.send(makeMessage({ content: "4" }));
    expect(heard).toEqual(["1", "2", "3"]);
  });

  it("[BUS-25] counts what waits or is leased", async () => {
    const { bus } = await setStage(adapter);
    for (const to of ["bob", "bob", "cid"]) await bus.send(makeMessage({ to }));
    const [delivery] = await claimNow(bus);
    expect(await bus.counts()).toEqual({ bob: 2, cid: 1 });
    await delivery!.ack();
    expect(await bus.counts()).toEqual({ bob: 1, cid: 1 });
  });

  it("[BUS-26] lists dead letters, newest first, page by page", async () => {
    const { bus } = await setStage(adapter);
    for (const content of ["1", "2", "3"]) await bus.send(makeMessage({ content }));
    for (const delivery of await claimNow(bus)) await delivery.term("no");
    const first = await bus.deadLetters.list({ limit: 2 });
    expect(first.items.map(({ message }) => message.content)).toEqual(["3", "2"]);
    const second = await bus.deadLetters.list({ limit: 2, cursor: first.cursor! });
    expect(second.items.map(({ message }) => message.content)).toEqual(["1"]);
    expect(second.cursor).toBeUndefined();
  });

  it("[BUS-26] lists what died last first, also when it was sent long before", async () => {
    const stage = await setStage(adapter);
    for (const to of ["cid", "bob", "bob"]) await stage.bus.send(makeMessage({ to, content: to }));
    for (const delivery of await claimNow(stage.bus)) await delivery.term("no");
    for (const delivery of await claimNow(stage.bus, "cid")) await delivery.term("no");
    const bus = await stage.reopen();
    for (const all of [false, true]) {
      const first = await bus.deadLetters.list({ all, limit: 1 });
      const { items } = await bus.deadLetters.list({ all, cursor: first.cursor! });
      const letters = [...first.items, ...items];
      expect(letters.map(({ message }) => message.content)).toEqual(["cid", "bob", "bob"]);
    }
  });

  it("[BUS-27] sends a dead letter again under a new id, once", async () => {
    const { bus } = await setStage(adapter);
    const message = makeMessage({ ttl: 60, content: "again" });
    const known = makeMessage({ to: "cid" });
    await bus.send(message);
    await bus.send(known);
    for (const delivery of await claimNow(bus)) await delivery.term("no");
    await expect(bus.deadLetters.resend(message.id, known.id)).rejects.toMatchObject({
      code: "message_conflict",
    });
    const waiting = bus.claim("bob");
    const resent = await bus.deadLetters.resend(message.id);
    expect(contentsOf(await waiting)).toEqual(["again"]);
    expect(resent!.id).not.toBe(message.id);
    expect(resent!.metadata.retry_count).toBe(1);
    expect(await bus.deadLetters.resend(message.id)).toBeUndefined();
    expect(await bus.deadLetters.get(message.id)).toMatchObject({
      fate: "resent",
      resentAs: resent!.id,
    });
    expect((await bus.deadLetters.list()).items).toEqual([]);
    expect((await bus.deadLetters.list({ all: true })).items).toHaveLength(1);
    expect(await bus.send(message)).toMatchObject({ duplicate: true });
  });

  it("[BUS-27] writes the records of a resent dead letter with it, or nothing", async () => {
    const { bus } = await setStage(adapter);
    const message = makeMessage();
    const known = makeMessage({ to: "cid" });
    for (const each of [message, known]) await bus.send(each);
    const write = { kind: "append", collection: "log", value: { what: "sent again" } } as const;
    const resend = (id?: string) => bus.deadLetters.resend(message.id, id, { writes: [write] });
    expect(await resend()).toBeUndefined();
    for (const delivery of await claimNow(bus)) await delivery.term("no");
    await expect(resend(known.id)).rejects.toMatchObject({ code: "message_conflict" });
    expect((await bus.records.query({ collection: "log" })).items).toEqual([]);
    expect(await resend()).toMatchObject({ content: message.content });
    expect(await resend()).toBeUndefined();
    expect((await bus.records.query({ collection: "log" })).items).toHaveLength(1);
  });

  it("[BUS-28] discards a dead letter, and keeps its trace", async () => {
    const { bus } = await setStage(adapter);
    const message = makeMessage();
    await bus.send(message);
    expect(await bus.deadLetters.discard(message.id)).toBe(false);
    for (const delivery of await claimNow(bus)) await delivery.term("no");
    expect(await bus.deadLetters.discard(message.id)).toBe(true);
    expect(await bus.deadLetters.discard(message.id)).toBe(false);
    expect(await bus.deadLetters.resend(message.id)).toBeUndefined();
    expect(await bus.deadLetters.get(message.id)).toMatchObject({ fate: "discarded" });
    expect((await bus.deadLetters.list()).items).toEqual([]);
  });
}

import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { CCMessage } from "../../wire/team/messages.ts";
import type { StoreFault } from "./planned-faults.ts";
import { faultAt } from "./planned-faults.ts";
import { openMemoryBus } from "./open-memory-bus.ts";

it("fails before it does anything", async () => {
  const bus = openMemoryBus({ faults: faultAt("send", 1, { kind: "fail", code: "disk_full" }) });
  const message = makeMessage();
  await expect(bus.send(message)).rejects.toMatchObject({ code: "disk_full" });
  expect(await bus.get(message.id)).toBeUndefined();
  expect(await bus.send(message)).toMatchObject({ duplicate: false });
});

const afterwards: StoreFault[] = [{ kind: "lose_answer" }, { kind: "crash", when: "after" }];
it.each(afterwards)("does it and loses the answer: $kind", async (fault) => {
  const bus = openMemoryBus({ faults: faultAt("send", 1, fault) });
  const message = makeMessage();
  await expect(bus.send(message)).rejects.toMatchObject({ code: "bus_unavailable" });
  expect(await bus.send(message)).toMatchObject({ duplicate: true });
});

it("does it twice", async () => {
  const bus = openMemoryBus({ faults: faultAt("send", 1, { kind: "repeat" }) });
  expect(await bus.send(makeMessage())).toMatchObject({ duplicate: true });
  expect(await bus.counts()).toEqual({ bob: 1 });
});

it("does it later, and everything after it", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const bus = openMemoryBus({ faults: faultAt("send", 1, { kind: "delay", until: promise }) });
  const done: string[] = [];
  const sending = bus.send(makeMessage()).then(() => done.push("send"));
  const counting = bus.counts().then((counts) => done.push(`counts ${counts["bob"]}`));
  resolve();
  await Promise.all([sending, counting]);
  expect(done).toEqual(["send", "counts 1"]);
});

it("crashes, and no other claim gets a message that is still being worked on", async () => {
  const bus = openMemoryBus({ faults: faultAt("get", 1, { kind: "crash", when: "before" }) });
  const message = makeMessage();
  await bus.send(message);
  const [delivery] = await bus.claim("bob");
  await expect(bus.get(message.id)).rejects.toMatchObject({ code: "bus_unavailable" });
  expect(await bus.claim("bob", { waitMs: 0 })).toEqual([]);
  expect(await delivery?.ack()).toBe(true);
});

function makeMessage(): CCMessage {
  const id = randomUUID();
  const timestamp = "2026-01-01T00:00:00.000Z";
  const metadata = {
    timestamp,
    priority: "normal",
    task_id: null,
    correlation_id: null,
    retry_count: 0,
    ttl: null,
  } as const;
  return {
    id,
    from_agent: "ann",
    to_agent: "bob",
    type: "info",
    content: "hi",
    thinking: null,
    metadata,
    timestamp,
    reply_to: null,
    root_id: id,
    hop: 0,
    path: ["ann"],
  };
}

import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Bus } from "../bus.ts";
import { findDamage } from "./check-integrity.ts";
import { openSqliteBus } from "./open-sqlite-bus.ts";
import { makeMessage } from "../../../test/support/bus/messages.ts";
import { mountSmallDisk } from "../../../test/support/small-disk.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";

it("a SQLite bus carries 10,000 messages with a poisoned one among them", async () => {
  const path = join(tempDir(), "bus.db");
  const bus = await open(path);
  const poison = 5_000;
  const messages = Array.from({ length: 10_000 }, (_, index) =>
    makeMessage({ content: String(index), from: index === poison ? "mallory" : `s${index % 20}` }),
  );
  await Promise.all(messages.map((message) => bus.send(message)));
  expect(await bus.counts()).toEqual({ bob: 10_000 });

  const seen: number[] = [];
  const refused: number[] = [];
  while (seen.length < 9_999) {
    const deliveries = await bus.claim("bob", { max: 500 });
    const settled = deliveries.map((delivery) => {
      const isPoison = delivery.message.content === String(poison);
      if (isPoison) refused.push(delivery.attempt);
      else seen.push(Number(delivery.message.content));
      return isPoison ? delivery.nak({ why: "it chokes on it" }) : delivery.ack();
    });
    await Promise.all(settled);
  }
  const others = [...messages.keys()].filter((index) => index !== poison);
  expect(seen).toEqual(others);
  expect(refused).toEqual([1, 2, 3, 4, 5]);
  const { items } = await bus.deadLetters.list();
  expect(items.map(({ message, why }) => [message.content, why])).toEqual([
    [String(poison), "it chokes on it"],
  ]);
  await bus.close();
  expect(findDamage(path)).toEqual([]);
});

it("a SQLite bus refuses messages beyond its limit, and does the rest", async () => {
  const bus = await open(join(tempDir(), "bus.db"));
  const asked = Array.from({ length: 50_100 }, () => bus.counts());
  const results = await Promise.allSettled(asked);
  const refused = results.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(refused).toHaveLength(100);
  for (const reason of refused) {
    expect(reason).toMatchObject({ code: "queue_full", retryable: true });
  }
  expect(await bus.send(makeMessage())).toMatchObject({ duplicate: false });
});

it("a SQLite bus reports a full disk, loses nothing, and goes on when there is room", async (context) => {
  const { directory, resize } = mountSmallDisk(context);
  const path = join(directory, "bus.db");
  const bus = await openSqliteBus(path);
  const { sent, unsent, refusal } = await sendUntilRefused(bus);
  expect(await bus.get(unsent)).toBeUndefined();
  expect(refusal).toMatchObject({ code: "disk_full", retryable: true });
  expect(sent.length).toBeGreaterThan(5);
  // What was taken can be read although nothing can be written.
  const [first] = await bus.claim("bob");
  expect(first?.message.id).toBe(sent[0]);

  resize("64m");
  const late = makeMessage({ content: "late" });
  expect(await bus.send(late)).toMatchObject({ duplicate: false });
  expect(await first?.ack()).toBe(true);
  const rest = await bus.claim("bob", { max: 1_000, maxBytes: Infinity });
  expect(rest.map(({ message }) => message.id)).toEqual([...sent.slice(1), late.id]);
  await bus.close();
  expect(findDamage(path)).toEqual([]);
});

async function sendUntilRefused(bus: Bus) {
  const sent: string[] = [];
  for (;;) {
    const { id, ...rest } = makeMessage({ content: `${sent.length} ${"x".repeat(100_000)}` });
    try {
      await bus.send({ id, ...rest });
      sent.push(id);
    } catch (refusal) {
      return { sent, unsent: id, refusal };
    }
  }
}

async function open(path: string): Promise<Bus> {
  const bus = await openSqliteBus(path);
  onTestFinished(() => bus.close());
  return bus;
}

import { join } from "node:path";
import type * as WorkerThreads from "node:worker_threads";
import type { Worker } from "node:worker_threads";
import { expect, it, onTestFinished, vi } from "vitest";
import type { Bus } from "../bus.ts";
import { findDamage } from "./check-integrity.ts";
import { openSqliteBus } from "./open-sqlite-bus.ts";
import { makeMessage } from "../../../test/support/bus/messages.ts";
import { claimNow } from "../../../test/support/bus/stage.ts";
import { tempDir } from "../../../test/support/temp-dir.ts";

const { threads } = vi.hoisted(() => ({ threads: [] as Worker[] }));

// The only thing that is not as in life: the test can get at the thread to kill it.
vi.mock("node:worker_threads", async (importOriginal) => {
  const real = await importOriginal<typeof WorkerThreads>();
  class Reachable extends real.Worker {
    constructor(...args: ConstructorParameters<typeof Worker>) {
      super(...args);
      threads.push(this);
    }
  }
  return { ...real, Worker: Reachable };
});

it("a SQLite bus reopens when its thread dies, and keeps leased messages leased", async () => {
  const path = join(tempDir(), "bus.db");
  const bus = await open(path);
  const [first, second] = [makeMessage({ content: "1" }), makeMessage({ content: "2" })];
  await bus.send(first);
  await bus.send(second);
  const [delivery] = await bus.claim("bob");
  await threads.at(-1)!.terminate();
  expect(await bus.send(first)).toMatchObject({ duplicate: true });
  const [other] = await claimNow(bus);
  expect(other?.message).toEqual(second);
  expect(await delivery?.ack()).toBe(true);
  expect(await other?.ack()).toBe(true);
  expect(await bus.counts()).toEqual({});
  await bus.close();
  expect(findDamage(path)).toEqual([]);
});

it("a SQLite bus rejects waiting callers when its thread dies, and a repeated send is safe", async () => {
  const path = join(tempDir(), "bus.db");
  const bus = await open(path);
  const messages = Array.from({ length: 200 }, (_, index) => makeMessage({ content: `${index}` }));
  const dying = threads.at(-1)!.terminate();
  const asked = [bus.claim("cid", { waitMs: 0 }), ...messages.map((message) => bus.send(message))];
  const results = await Promise.allSettled(asked);
  await dying;
  const reasons = results.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
  expect(reasons).toHaveLength(201);
  for (const reason of reasons) {
    expect(reason).toMatchObject({ code: "bus_unavailable", retryable: true });
  }
  for (const message of messages) await bus.send(message);
  const deliveries = await bus.claim("bob", { max: 1_000 });
  expect(deliveries.map(({ message }) => message)).toEqual(messages);
});

it("a SQLite bus fails with bus_in_use while it cannot be reopened, and works afterwards", async () => {
  const path = join(tempDir(), "bus.db");
  const bus = await open(path);
  await threads.at(-1)!.terminate();
  const other = await openSqliteBus(path);
  await expect(bus.send(makeMessage())).rejects.toMatchObject({ code: "bus_in_use" });
  await other.close();
  expect(await bus.send(makeMessage())).toMatchObject({ duplicate: false });
  await threads.at(-1)!.terminate();
  await bus.close();
});

async function open(path: string): Promise<Bus> {
  const bus = await openSqliteBus(path);
  onTestFinished(() => bus.close());
  return bus;
}

import { expect, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ErrorCode } from "../../wire/error-table.ts";
import { toWire } from "../../wire/error-wire.ts";
import { errorOf } from "../../wire/errors.ts";
import { CliSupervisor } from "./cli-supervisor.ts";

/** A CLI that does what the test says. */
class FakeEngine {
  open = true;
  readonly ends: string[] = [];
  readonly up = Promise.withResolvers<void>();

  ready(): Promise<void> {
    return this.up.promise;
  }

  async close(): Promise<void> {
    this.open = false;
    this.ends.push("close");
  }

  async kill(): Promise<void> {
    this.open = false;
    this.ends.push("kill");
  }
}

function stage(more: { prepare?: () => Promise<void> } = {}) {
  const timers = new HandTimers();
  const engines: FakeEngine[] = [];
  const retries: number[] = [];
  const givenUp: string[] = [];
  const life = new CliSupervisor(
    {
      ...more,
      launch: () => {
        const engine = new FakeEngine();
        engines.push(engine);
        return engine as unknown as Engine;
      },
      onLost: (_error, retryMs) => retries.push(retryMs),
      onGivenUp: ({ code }) => givenUp.push(code),
    },
    timers,
  );
  const dies = async ({
    ready = true,
    code = "cli_exited",
  }: { ready?: boolean; code?: ErrorCode } = {}): Promise<void> => {
    const engine = engines.at(-1);
    if (!engine) throw new Error("none was started");
    if (ready) engine.up.resolve();
    // A caller that waits for it is told before its end.
    await new Promise((resolve) => setImmediate(resolve));
    engine.open = false;
    life.lost(engine as unknown as Engine, toWire(errorOf(code, "gone")));
  };
  life.start();
  return { timers, engines, retries, givenUp, life, dies };
}

test("after a death another CLI is started at once, and with growing delays while they keep dying", async () => {
  const { timers, engines, retries, givenUp, dies } = stage();
  for (let death = 0; death < 9; death += 1) {
    await dies();
    timers.pass(60_000);
    expect(engines).toHaveLength(death + 2);
  }
  const seconds = [0, 1, 2, 4, 8, 16, 32, 60, 60];
  expect(retries).toEqual(seconds.map((each) => each * 1000));
  expect(givenUp).toEqual([]);
});

test("a CLI that has lived for a while resets the delay", async () => {
  const { timers, engines, retries, dies } = stage();
  await dies();
  timers.pass(0);
  await dies();
  timers.pass(1000);
  engines.at(-1)?.up.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  timers.pass(30_000);
  await dies();
  expect(retries).toEqual([0, 1000, 0]);
});

test("five failed starts are enough, and some failures end it at once", async () => {
  const { timers, engines, givenUp, life, dies } = stage();
  for (let death = 0; death < 5; death += 1) {
    await dies({ ready: false });
    timers.pass(60_000);
  }
  expect(givenUp).toEqual(["cli_exited"]);
  expect(engines).toHaveLength(5);
  expect(timers.waiting).toBe(0);
  await expect(life.whenReady()).rejects.toMatchObject({ code: "cli_exited" });

  const other = stage();
  await other.dies({ code: "session_not_found" });
  expect(other.givenUp).toEqual(["session_not_found"]);
  expect(other.retries).toEqual([]);
});

test("a replaced CLI is not reported as lost, and whenReady resolves with its successor", async () => {
  const { engines, retries, life } = stage();
  const waiting = life.whenReady();
  const [first] = engines;
  const between: string[] = [];
  await life.replace("kill", () => between.push(...(first?.ends ?? [])));
  expect(between).toEqual(["kill"]);
  life.lost(first as unknown as Engine, toWire(errorOf("cli_exited", "late")));
  first?.up.reject(new Error("gone"));
  engines[1]?.up.resolve();
  expect(await waiting).toBe(engines[1]);
  expect(retries).toEqual([]);
});

test("two concurrent replacements run one after the other, never two CLIs at once", async () => {
  const { engines, life } = stage();
  const killed = Promise.withResolvers<void>();
  const [first] = engines;
  if (!first) throw new Error("none was started");
  first.kill = async () => {
    await killed.promise;
    first.open = false;
  };
  const replaced = [life.replace("kill"), life.replace("close")];
  await new Promise((resolve) => setImmediate(resolve));
  expect(engines).toHaveLength(1);
  killed.resolve();
  await Promise.all(replaced);
  expect(engines.map(({ open }) => open)).toEqual([false, false, true]);
});

test("a CLI that hangs before it is up is killed, and counts as a failed start", async () => {
  const { timers, engines, givenUp } = stage();
  for (let hung = 0; hung < 5; hung += 1) {
    engines.at(-1)?.up.reject(errorOf("timeout", "no answer"));
    await new Promise((resolve) => setImmediate(resolve));
    timers.pass(60_000);
  }
  expect(engines.map(({ ends }) => ends)).toEqual(Array.from({ length: 5 }, () => ["kill"]));
  expect(givenUp).toEqual(["timeout"]);
});

test("after stop no CLI is started", async () => {
  const { timers, engines, life, dies } = stage();
  await dies();
  await dies().catch(() => {});
  const waiting = life.whenReady();
  await life.stop();
  await expect(waiting).rejects.toMatchObject({ code: "cli_exited" });
  expect(timers.waiting).toBe(0);
  timers.pass(100_000);
  expect(engines).toHaveLength(1);
});

test("stop kills a CLI that does not end when it is asked to", async () => {
  const { timers, engines, life } = stage();
  const [engine] = engines;
  if (!engine) throw new Error("none was started");
  engine.close = () => new Promise(() => {});
  const stopped = life.stop();
  timers.pass(14_999);
  await new Promise((resolve) => setImmediate(resolve));
  expect(engine.ends).toEqual([]);
  timers.pass(1);
  expect(await stopped).toBe("killed");
  expect(engine.ends).toEqual(["kill"]);
  expect(timers.waiting).toBe(0);
});

test("stop kills a CLI that was being replaced and does not end, and starts no other", async () => {
  const { timers, engines, life } = stage();
  const [engine] = engines;
  if (!engine) throw new Error("none was started");
  const closed = Promise.withResolvers<void>();
  engine.close = () => closed.promise;
  const replaced = life.replace("close");
  await new Promise((resolve) => setImmediate(resolve));
  const stopped = life.stop();
  timers.pass(15_000);
  expect(await stopped).toBe("killed");
  closed.resolve();
  await replaced;
  expect(engine.ends).toEqual(["kill"]);
  expect(engines).toHaveLength(1);
});

test("stop does not wait for ever for a CLI that cannot be killed", async () => {
  const { timers, engines, life } = stage();
  const [engine] = engines;
  if (!engine) throw new Error("none was started");
  engine.close = () => new Promise(() => {});
  engine.kill = () => new Promise(() => {});
  const stopped = life.stop();
  timers.pass(15_000);
  await new Promise((resolve) => setImmediate(resolve));
  timers.pass(8_000);
  expect(await stopped).toBe("left");
});

test("stop does not wait for ever for the preparation of the next CLI", async () => {
  const { timers, engines, life } = stage({ prepare: () => new Promise(() => {}) });
  void life.replace("kill");
  await new Promise((resolve) => setImmediate(resolve));
  const stopped = life.stop();
  timers.pass(15_000);
  expect(await stopped).toBe("ended");
  expect(engines).toHaveLength(1);
});

test("a CLI that comes up while it is being ended leaves no timer", async () => {
  const { timers, engines, life } = stage();
  const [engine] = engines;
  if (!engine) throw new Error("none was started");
  engine.close = async () => {
    engine.up.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  await life.stop();
  expect(timers.waiting).toBe(0);
});

import * as fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { Bus, Delivery } from "../../../src/bus/bus.ts";
import { headStart, laneOf, priorities } from "../../../src/bus/inbox-order.ts";
import { MemoryDisk } from "../../../src/bus/memory/disk.ts";
import { openMemoryBus } from "../../../src/bus/memory/open-memory-bus.ts";
import { openSqliteBus } from "../../../src/bus/sqlite/open-sqlite-bus.ts";
import type { BusOptions } from "../../../src/bus/stored-bus.ts";
import type { CCMessage } from "../../../src/wire/team/messages.ts";
import { ManualClock } from "../../support/bus/manual-clock.ts";
import { makeMessage } from "../../support/bus/messages.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const directory = mkdtempSync(join(tmpdir(), "sb-test-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const MAX_ATTEMPTS = 3;
const LEASE_MS = 100;
const runs = Number(process.env["BUS_MODEL_RUNS"] ?? 1);

type Act =
  | {
      kind: "send";
      from: string;
      type: CCMessage["type"];
      priority: CCMessage["metadata"]["priority"];
    }
  | { kind: "repeat"; which: number }
  | { kind: "claim"; max: number }
  | { kind: "ack" | "nak" | "late_nak" | "release" | "term"; which: number }
  | { kind: "pass"; ms: number }
  | { kind: "reopen" };

const which = fc.nat(50);
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("send" as const),
      from: fc.constantFrom("ann", "cid"),
      type: fc.constantFrom("task_request" as const, "task_response" as const),
      priority: fc.constantFrom(...priorities),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("claim" as const),
      max: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "ack" as const,
        "nak" as const,
        "late_nak" as const,
        "release" as const,
        "term" as const,
      ),
      which,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("repeat" as const), which }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.constantFrom(10, 50, 100) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reopen" as const) }) },
);

interface Kept {
  message: CCMessage;
  place: number;
  attempts: number;
  state: "waiting" | "done" | "dead";
  /** Until then it is leased or delayed. */
  hold: { kind: "lease" | "delay"; untilMs: number; delivery?: Delivery } | undefined;
}

/** The contract in its simplest form: a list, looked through from the beginning each time. */
class Model {
  readonly kept: Kept[] = [];
  nowMs = 0;

  lineOf = ({ message }: Kept): string =>
    `${message.from_agent} ${message.metadata.priority} ${laneOf(message.type)}`;

  fail(each: Kept): void {
    each.attempts += 1;
    if (each.attempts >= MAX_ATTEMPTS) each.state = "dead";
  }

  claim(max: number): Kept[] {
    const chosen: Kept[] = [];
    const heldUp = new Set<string>();
    const rank = ({ place, message }: Kept) => place - headStart[message.metadata.priority];
    const order = (a: Kept, b: Kept): number =>
      rank(a) - rank(b) ||
      priorities.indexOf(a.message.metadata.priority) -
        priorities.indexOf(b.message.metadata.priority);
    for (const each of this.kept.filter(({ state }) => state === "waiting").sort(order)) {
      if (chosen.length === max) break;
      const isHeld = each.hold !== undefined && each.hold.untilMs > this.nowMs;
      if (isHeld && each.hold?.kind === "delay") heldUp.add(this.lineOf(each));
      if (isHeld || heldUp.has(this.lineOf(each))) continue;
      if (each.hold?.kind === "lease") this.fail(each);
      each.hold = undefined;
      if (each.state === "waiting") chosen.push(each);
    }
    return chosen;
  }

  leased(index: number): Kept | undefined {
    const leased = this.kept.filter(({ hold, state }) => state === "waiting" && hold?.delivery);
    return leased[index % Math.max(leased.length, 1)];
  }
}

const adapters: {
  name: string;
  runs: number;
  place: () => (options: BusOptions) => Bus | Promise<Bus>;
}[] = [
  {
    name: "memory",
    runs: 200 * runs,
    place() {
      const disk = new MemoryDisk();
      return (options) => openMemoryBus({ ...options, disk });
    },
  },
  {
    name: "sqlite",
    runs: 6 * runs,
    place() {
      const path = join(mkdtempSync(join(directory, "run-")), "bus.db");
      return (options) => openSqliteBus(path, options);
    },
  },
];

describe.each(adapters)("random use of a bus in $name", ({ place, runs: numRuns }) => {
  it("loses nothing, doubles nothing and keeps order, whatever happens", async () => {
    const acts = fc.array(act, { minLength: 5, maxLength: 60, size: "max" });
    await fc.assert(
      fc.asyncProperty(acts, async (each) => {
        const { found, expected } = await play(place(), each);
        expect(found).toEqual(expected);
      }),
      { numRuns },
    );
  });
});

/** Does the same to a bus and to the model, and gives where each message is in the end. */
async function play(open: (options: BusOptions) => Bus | Promise<Bus>, acts: readonly Act[]) {
  const clock = new ManualClock();
  const options = { clock, maxAttempts: MAX_ATTEMPTS };
  const model = new Model();
  let bus = await open(options);
  for (const each of acts) {
    if (each.kind === "reopen") {
      await bus.close();
      bus = await open(options);
      for (const kept of model.kept) kept.hold = undefined;
    } else {
      await perform(bus, clock, model, each);
    }
  }
  const stored = await Promise.all(model.kept.map(({ message }) => bus.get(message.id)));
  await bus.close();
  return {
    found: stored.map((each) => [each?.message, settledState(each?.state), each?.attempts]),
    expected: model.kept.map(({ message, state, attempts }) => [message, state, attempts]),
  };
}

const settledState = (state: string | undefined) => (state === "leased" ? "waiting" : state);

async function perform(
  bus: Bus,
  clock: ManualClock,
  model: Model,
  each: Exclude<Act, { kind: "reopen" }>,
): Promise<void> {
  if (each.kind === "send") {
    const place = model.kept.length + 1;
    const message = makeMessage({ ...each, content: String(place) });
    model.kept.push({ message, place, attempts: 0, state: "waiting", hold: undefined });
    expect(await bus.send(message)).toEqual({ id: message.id, duplicate: false });
  } else if (each.kind === "repeat") {
    const kept = model.kept[each.which % Math.max(model.kept.length, 1)];
    if (kept) expect(await bus.send(kept.message)).toMatchObject({ duplicate: true });
  } else if (each.kind === "pass") {
    clock.advance(each.ms);
    model.nowMs += each.ms;
  } else if (each.kind === "claim") {
    const expected = model.claim(each.max);
    const deliveries = await bus.claim("bob", { max: each.max, leaseMs: LEASE_MS, waitMs: 0 });
    expect(deliveries.map(({ message, attempt }) => [message.content, attempt])).toEqual(
      expected.map(({ message, attempts }) => [message.content, attempts + 1]),
    );
    for (const [index, delivery] of deliveries.entries()) {
      expected[index]!.hold = { kind: "lease", untilMs: model.nowMs + LEASE_MS, delivery };
    }
  } else {
    await settle(model, each.kind, model.leased(each.which));
  }
}

async function settle(
  model: Model,
  how: "ack" | "nak" | "late_nak" | "release" | "term",
  kept: Kept | undefined,
): Promise<void> {
  const delivery = kept?.hold?.delivery;
  if (!kept || !delivery) return;
  kept.hold = undefined;
  if (how === "ack") {
    kept.state = "done";
    expect(await delivery.ack()).toBe(true);
  } else if (how === "term") {
    kept.state = "dead";
    expect(await delivery.term("no")).toBe(true);
  } else if (how === "release") {
    expect(await delivery.nak({ counted: false })).toBe(true);
  } else {
    const delayMs = how === "nak" ? 0 : 50;
    model.fail(kept);
    if (delayMs > 0) kept.hold = { kind: "delay", untilMs: model.nowMs + delayMs };
    expect(await delivery.nak({ delayMs })).toBe(true);
  }
}

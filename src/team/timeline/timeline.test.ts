import { expect, test, vi } from "vitest";
import { openMemoryBus } from "../../bus/memory/open-memory-bus.ts";
import type { TeamEvent } from "../../wire/team/events.ts";
import { Timeline } from "./timeline.ts";

const stopping = (by: string) => ({ type: "team_stopping", by }) as const;

test("Timeline publishes events after a failed write later, complete, in order and with their records", async () => {
  let full = false;
  const bus = openMemoryBus({
    faults: ({ kind }) =>
      full && kind === "write" ? { kind: "fail", code: "disk_full" } : undefined,
  });
  const timeline = await Timeline.open(bus.records);
  const failed = vi.fn<(error: unknown) => void>();
  timeline.onFailure(failed);
  const told: TeamEvent[] = [];
  timeline.subscribe((events) => told.push(...events));
  const put = { kind: "put", collection: "beside", key: "k", value: {} } as const;

  timeline.append(stopping("one"));
  await timeline.flushed();
  full = true;
  timeline.append(stopping("two"), [put]);
  timeline.append(stopping("three"));
  timeline.thenWrite([{ ...put, key: "behind" }]);
  await vi.waitFor(
    () => expect(failed).toHaveBeenCalledWith(expect.objectContaining({ code: "disk_full" })),
    10_000,
  );
  expect(told.map(({ seq }) => seq)).toEqual([1]);
  expect(timeline.lastSeq).toBe(1);
  expect(await bus.records.get("beside", "k")).toBeUndefined();
  expect(await bus.records.get("beside", "behind")).toBeUndefined();
  await timeline.flushed();

  full = false;
  await vi.waitFor(() => expect(told).toHaveLength(3), 5000);
  expect(told).toMatchObject([{ by: "one" }, { by: "two" }, { by: "three" }]);
  expect(told.map(({ seq }) => seq)).toEqual([1, 2, 3]);
  expect(await bus.records.get("beside", "k")).toBeDefined();
  expect(await bus.records.get("beside", "behind")).toBeDefined();
  const again = await Timeline.open(bus.records);
  expect(again.lastSeq).toBe(3);
  await bus.close();
  timeline.append(stopping("late"));
  await timeline.flushed();
  expect(failed).toHaveBeenCalledOnce();
});

test("Timeline publishes an event that is appended while another is being published", async () => {
  const bus = openMemoryBus();
  const timeline = await Timeline.open(bus.records);
  const told: number[] = [];
  timeline.subscribe((events) => told.push(...events.map(({ seq }) => seq)));
  // Each comes a few steps of the loop after the one before, whatever that is doing then.
  for (let steps = 0; steps < 30; steps += 1) {
    timeline.append(stopping(`before ${steps}`));
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    timeline.append(stopping(`after ${steps}`));
    await vi.waitFor(() => expect(told).toHaveLength(2 * (steps + 1)), {
      interval: 1,
      timeout: 10_000,
    });
  }
  await bus.close();
});

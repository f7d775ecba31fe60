import { expect, onTestFinished, test, vi } from "vitest";
import type { LifeEnd } from "./agent.ts";
import { supervise } from "./supervise.ts";

const lost = (readyMs = 0): LifeEnd => ({ how: "lost", why: "it fell over", readyMs });

/** Lives one after the other, as told, and what was waited between them. */
async function superviseThrough(lives: readonly LifeEnd[], failedStarts = 100) {
  const pausesMs: number[] = [];
  const states: string[] = [];
  const left = [...lives];
  const why = await supervise(
    {
      live: async () => left.shift() ?? { how: "stopped" },
      enter: (state) => void states.push(state),
    },
    {
      stableMs: 30_000,
      failedStarts,
      signal: new AbortController().signal,
      pause: async (ms) => void pausesMs.push(Math.round(ms)),
    },
  );
  return { pausesMs, states, why };
}

const chance = (value: number): void => {
  const spy = vi.spyOn(Math, "random").mockReturnValue(value);
  onTestFinished(() => spy.mockRestore());
};

test("each failed start in a row is followed by a pause twice as long, from 1 s to 60 s", async () => {
  chance(0.5);
  const { pausesMs } = await superviseThrough(Array.from({ length: 9 }, () => lost()));
  expect(pausesMs.map((ms) => ms / 1000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test.each([
  [0, [800, 1600]],
  [1, [1200, 2400]],
])("chance makes the pauses up to a fifth shorter or longer: %d", async (value, expected) => {
  chance(value);
  expect((await superviseThrough([lost(), lost()])).pausesMs).toEqual(expected);
});

test("whoever was ready for long enough, or went to sleep, begins anew", async () => {
  chance(0.5);
  const ends = [lost(), lost(29_999), lost(30_000), lost(), { how: "hibernated" } as const, lost()];
  const { pausesMs, states } = await superviseThrough(ends);
  expect(pausesMs).toEqual([1000, 2000, 1000, 1000, 1000]);
  expect(states).toEqual(pausesMs.map(() => "restarting"));
});

test("too many failed starts in a row are the last, and nothing is waited for", async () => {
  const { pausesMs, states, why } = await superviseThrough([lost(), lost(), lost(), lost()], 3);
  expect(pausesMs).toHaveLength(2);
  expect(states).toEqual(["restarting", "restarting", "quarantined"]);
  expect(why).toBe("it fell over");
});

test("a stop ends the pause, and there is no other life", async () => {
  const stop = new AbortController();
  const live = vi.fn<() => Promise<LifeEnd>>(async () => lost());
  const enter = (): void => void setImmediate(() => stop.abort());
  const policy = { tries: 9, firstDelayMs: 600_000, maxDelayMs: 600_000, factor: 1 };
  const supervision = { stableMs: 1, failedStarts: 9, policy, signal: stop.signal };
  expect(await supervise({ live, enter }, supervision)).toBeUndefined();
  expect(live).toHaveBeenCalledOnce();
});

import { expect, onTestFinished, test, vi } from "vitest";
import type { AgentBody } from "./life-loop.ts";
import { LifeLoop } from "./life-loop.ts";

interface Stage {
  readonly body: AgentBody<string>;
  readonly stop: AbortController;
  readonly states: string[];
  readonly pausesMs: number[];
  readonly loop: LifeLoop<string>;
  readonly told: string[];
}

/** A loop whose pauses pass at once. */
function stageOf(body: Partial<AgentBody<string>>, failedStarts = 100): Stage {
  const stop = new AbortController();
  const states: string[] = [];
  const told: string[] = [];
  const pausesMs: number[] = [];
  const whole: AgentBody<string> = {
    start: async (report) => {
      report({ type: "connected", session: "s" });
      report({ type: "caught_up" });
    },
    untilLost: () => new Promise(() => {}),
    untilIdle: () => new Promise(() => {}),
    isAtRest: async () => true,
    fallAsleep: async () => {},
    leave: async () => {},
    quarantine: async (why) => void told.push(why),
    changed: (_before, after) => void states.push(after.at),
    ...body,
  };
  const loop = new LifeLoop(whole, {
    stableMs: 30_000,
    failedStarts,
    signal: stop.signal,
    pause: async (ms) => void pausesMs.push(Math.round(ms)),
  });
  onTestFinished(() => stop.abort());
  return { body: whole, stop, states, pausesMs, loop, told };
}

const chance = (value: number): void => {
  const spy = vi.spyOn(Math, "random").mockReturnValue(value);
  onTestFinished(() => spy.mockRestore());
};

/** Starts that all fail, until the loop is stopped after this many. */
function failing(times: number, failedStarts?: number): Stage {
  let left = times;
  const stage = stageOf(
    {
      start: async () => {
        left -= 1;
        if (left < 0) stage.stop.abort();
        throw new Error("it fell over");
      },
    },
    failedStarts,
  );
  return stage;
}

test("LifeLoop doubles its pause after each failed start in a row, from 1 s to 60 s", async () => {
  chance(0.5);
  const { loop, pausesMs } = failing(9);
  await loop.run(false);
  expect(pausesMs.map((ms) => ms / 1000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test.each([
  [0, [800, 1600]],
  [1, [1200, 2400]],
])(
  "LifeLoop makes its pauses up to a fifth shorter or longer at random: %d",
  async (value, expected) => {
    chance(value);
    const { loop, pausesMs } = failing(2);
    await loop.run(false);
    expect(pausesMs).toEqual(expected);
  },
);

test("LifeLoop quarantines an agent after too many failed starts, and starts it again when that is lifted", async () => {
  const { loop, pausesMs, states, told } = failing(3, 3);
  const over = loop.run(false);
  await vi.waitUntil(() => told.length > 0);
  expect(pausesMs).toHaveLength(2);
  expect(states.at(-1)).toBe("quarantined");
  expect(told).toEqual(["it fell over"]);
  loop.apply({ type: "lifted" });
  await over;
  expect(loop.life.at).toBe("starting");
});

test("LifeLoop closes the gate and leaves a lost session before it reports the loss", async () => {
  const order: string[] = [];
  const lost = Promise.withResolvers<string>();
  const { loop, stop } = stageOf({
    untilLost: () => lost.promise,
    leave: async (session) => {
      const { life } = loop;
      order.push(`left ${session}, ${life.at === "up" ? life.gate : life.at}`);
    },
    changed: (_before, { at }) => {
      order.push(at);
      if (at === "restarting") stop.abort();
    },
  });
  const over = loop.run(false);
  await vi.waitUntil(() => loop.life.at === "up");
  lost.resolve("gone");
  await over;
  expect(order.slice(-3)).toEqual(["up", "left s, closed", "restarting"]);
});

test("LifeLoop puts an idle agent to sleep if its session is at rest, and opens the gate again if not", async () => {
  const answers = [false, true];
  const { loop, states } = stageOf({
    untilIdle: () => (answers.length > 0 ? Promise.resolve() : new Promise(() => {})),
    isAtRest: async () => answers.shift() ?? false,
  });
  void loop.run(false);
  await vi.waitUntil(() => loop.life.at === "asleep");
  // Open, closed, open again, closed.
  expect(states.slice(-5)).toEqual(["up", "up", "up", "up", "asleep"]);
  loop.apply({ type: "woken" });
  await vi.waitUntil(() => loop.life.at === "up");
});

test("LifeLoop keeps the gate closed when the agent is lost while its session is asked if it is at rest", async () => {
  const lost = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<boolean>();
  const { loop, states } = stageOf({
    untilLost: () => lost.promise,
    untilIdle: () => Promise.resolve(),
    isAtRest: () => asked.promise,
    start: async (report) => {
      if (states.includes("restarting")) return new Promise(() => {});
      report({ type: "connected", session: "s" });
      report({ type: "caught_up" });
    },
  });
  void loop.run(false);
  await vi.waitUntil(() => loop.life.at === "up" && loop.life.gate === "closed");
  lost.resolve("gone");
  await vi.waitUntil(() => states.includes("restarting"));
  asked.resolve(false);
  await vi.waitUntil(() => loop.life.at === "starting");
  expect(states.filter((state) => state === "up")).toHaveLength(2);
});

test("LifeLoop ends its pause when it is stopped, and starts nothing more", async () => {
  const stop = new AbortController();
  const start = vi.fn<AgentBody<string>["start"]>(() => Promise.reject(new Error("it fell over")));
  const { body } = stageOf({
    start,
    changed: (_before, { at }) => void (at === "restarting" && setImmediate(() => stop.abort())),
  });
  const policy = { tries: 9, firstDelayMs: 600_000, maxDelayMs: 600_000, factor: 1 };
  const loop = new LifeLoop(body, { stableMs: 1, failedStarts: 9, policy, signal: stop.signal });
  await loop.run(false);
  expect(start).toHaveBeenCalledOnce();
});

import { expect, onTestFinished, test, vi } from "vitest";
import { unlessAborted } from "../../time/abortable-waits.ts";
import type { SupervisedSteps } from "./supervisor.ts";
import { Supervisor } from "./supervisor.ts";

interface Stage {
  readonly steps: SupervisedSteps<string>;
  readonly stop: AbortController;
  readonly states: string[];
  readonly pausesMs: number[];
  readonly supervisor: Supervisor<string>;
  readonly told: string[];
}

/** A supervisor whose pauses pass at once. */
function stageOf(steps: Partial<SupervisedSteps<string>>, failedStarts = 100): Stage {
  const stop = new AbortController();
  const states: string[] = [];
  const told: string[] = [];
  const pausesMs: number[] = [];
  const whole: SupervisedSteps<string> = {
    start: async (report) => {
      report({ type: "connected", session: "s" });
      report({ type: "caught_up" });
    },
    untilLost: () => new Promise(() => {}),
    untilIdle: () => new Promise(() => {}),
    isAtRest: async () => true,
    fallAsleep: async () => {},
    end: async () => {},
    leave: async () => {},
    quarantine: async (why) => void told.push(why),
    changed: (_before, after) => void states.push(after.at),
    ...steps,
  };
  const supervisor = new Supervisor(whole, {
    stableMs: 30_000,
    failedStarts,
    signal: stop.signal,
    pause: async (ms) => void pausesMs.push(Math.round(ms)),
  });
  onTestFinished(() => stop.abort());
  return { steps: whole, stop, states, pausesMs, supervisor, told };
}

const chance = (value: number): void => {
  const spy = vi.spyOn(Math, "random").mockReturnValue(value);
  onTestFinished(() => spy.mockRestore());
};

/** Starts that all fail, until the supervisor is stopped after this many. */
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

test("Supervisor doubles its pause after each failed start in a row, from 1 s to 60 s", async () => {
  chance(0.5);
  const { supervisor, pausesMs } = failing(9);
  await supervisor.run(false);
  expect(pausesMs.map((ms) => ms / 1000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test.each([
  [0, [800, 1600]],
  [1, [1200, 2400]],
])(
  "Supervisor makes its pauses up to a fifth shorter or longer at random: %d",
  async (value, expected) => {
    chance(value);
    const { supervisor, pausesMs } = failing(2);
    await supervisor.run(false);
    expect(pausesMs).toEqual(expected);
  },
);

test("Supervisor quarantines an agent after too many failed starts, and starts it again when that is lifted", async () => {
  const { supervisor, pausesMs, states, told } = failing(3, 3);
  const over = supervisor.run(false);
  await vi.waitUntil(() => told.length > 0);
  expect(pausesMs).toHaveLength(2);
  expect(states.at(-1)).toBe("quarantined");
  expect(told).toEqual(["it fell over"]);
  supervisor.apply({ type: "start_asked" });
  await over;
  expect(supervisor.life.at).toBe("starting");
});

test("Supervisor closes the gate and leaves a lost session before it reports the loss", async () => {
  const order: string[] = [];
  const lost = Promise.withResolvers<string>();
  const { supervisor, stop } = stageOf({
    untilLost: () => lost.promise,
    leave: async (session) => {
      const { life } = supervisor;
      order.push(`left ${session}, ${life.at === "up" ? life.gate : life.at}`);
    },
    changed: (_before, { at }) => {
      order.push(at);
      if (at === "restarting") stop.abort();
    },
  });
  const over = supervisor.run(false);
  await vi.waitUntil(() => supervisor.life.at === "up");
  lost.resolve("gone");
  await over;
  expect(order.slice(-3)).toEqual(["up", "left s, closed", "restarting"]);
});

test("Supervisor puts an idle agent to sleep if its session is at rest, and opens the gate again if not", async () => {
  const answers = [false, true];
  const { supervisor, states } = stageOf({
    untilIdle: () => (answers.length > 0 ? Promise.resolve() : new Promise(() => {})),
    isAtRest: async () => answers.shift() ?? false,
  });
  void supervisor.run(false);
  await vi.waitUntil(() => supervisor.life.at === "asleep");
  // Open, closed, open again, closed.
  expect(states.slice(-5)).toEqual(["up", "up", "up", "up", "asleep"]);
  supervisor.apply({ type: "woken" });
  await vi.waitUntil(() => supervisor.life.at === "up");
});

test("Supervisor keeps the gate closed when the agent is lost while its session is asked if it is at rest", async () => {
  const lost = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<boolean>();
  const { supervisor, states } = stageOf({
    untilLost: () => lost.promise,
    untilIdle: () => Promise.resolve(),
    isAtRest: () => asked.promise,
    start: async (report) => {
      if (states.includes("restarting")) return new Promise(() => {});
      report({ type: "connected", session: "s" });
      report({ type: "caught_up" });
    },
  });
  void supervisor.run(false);
  await vi.waitUntil(() => supervisor.life.at === "up" && supervisor.life.gate === "closed");
  lost.resolve("gone");
  await vi.waitUntil(() => states.includes("restarting"));
  asked.resolve(false);
  await vi.waitUntil(() => supervisor.life.at === "starting");
  expect(states.filter((state) => state === "up")).toHaveLength(2);
});

test("Supervisor ends its pause when it is stopped, and starts nothing more", async () => {
  const stop = new AbortController();
  const start = vi.fn<SupervisedSteps<string>["start"]>(() =>
    Promise.reject(new Error("it fell over")),
  );
  const { steps } = stageOf({
    start,
    changed: (_before, { at }) => void (at === "restarting" && setImmediate(() => stop.abort())),
  });
  const policy = { tries: 9, firstDelayMs: 600_000, maxDelayMs: 600_000, factor: 1 };
  const supervisor = new Supervisor(steps, {
    stableMs: 1,
    failedStarts: 9,
    policy,
    signal: stop.signal,
  });
  await supervisor.run(false);
  expect(start).toHaveBeenCalledOnce();
});

const until = (supervisor: Supervisor<string>, at: string): Promise<boolean> =>
  vi.waitUntil(() => supervisor.life.at === at);

test.each(["starting", "up", "restarting", "quarantined"])(
  "Supervisor ends the run of an agent that is %s when a person stops it, and starts it when one asks",
  async (at) => {
    const ended: string[] = [];
    let isWell = at === "up";
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const { steps } = stageOf({
      start: async (report, signal) => {
        if (at === "starting" && !isWell) return unlessAborted(new Promise(() => {}), signal);
        if (!isWell) throw new Error("it fell over");
        report({ type: "connected", session: "s" });
        report({ type: "caught_up" });
      },
      end: async () => void ended.push("ended"),
      leave: async (session) => void ended.push(`left ${session}`),
    });
    const policy = { tries: 9, firstDelayMs: 600_000, maxDelayMs: 600_000, factor: 1 };
    const failedStarts = at === "quarantined" ? 1 : 9;
    const supervisor = new Supervisor(steps, {
      stableMs: 1,
      failedStarts,
      policy,
      signal: stop.signal,
    });
    void supervisor.run(false);
    await until(supervisor, at);
    ended.length = 0;
    supervisor.apply({ type: "stop_asked", why: "enough" });
    await until(supervisor, "off");
    expect(ended).toEqual(["ended", at === "up" ? "left s" : "left undefined"]);
    // A message does not wake it.
    supervisor.apply({ type: "woken" });
    expect(supervisor.life).toEqual({ at: "off", why: "enough" });
    isWell = true;
    supervisor.apply({ type: "start_asked" });
    await until(supervisor, "up");
  },
);

test("Supervisor ends what may be left of the run of an agent that was stopped before, and starts nothing", async () => {
  const start = vi.fn<SupervisedSteps<string>["start"]>();
  const end = vi.fn<SupervisedSteps<string>["end"]>(() =>
    Promise.reject(new Error("no such process")),
  );
  const { supervisor } = stageOf({ start, end });
  void supervisor.run(true, "stopped by anna");
  await until(supervisor, "off");
  expect(end).toHaveBeenCalledOnce();
  expect(start).not.toHaveBeenCalled();
});

test("Supervisor.hibernate puts an agent to sleep at once if its session is at rest, and says so", async () => {
  const answers = [false, true];
  const { supervisor } = stageOf({ isAtRest: async () => answers.shift() ?? false });
  expect(await supervisor.hibernate()).toBe(false);
  void supervisor.run(false);
  await until(supervisor, "up");
  expect(await supervisor.hibernate()).toBe(false);
  expect(supervisor.life).toMatchObject({ at: "up", gate: "open" });
  expect(await supervisor.hibernate()).toBe(true);
  expect(supervisor.life.at).toBe("asleep");
});

test("Supervisor.hibernate says no for an agent that is lost or stopped meanwhile", async () => {
  const lost = Promise.withResolvers<string>();
  const { supervisor } = stageOf({
    untilLost: () => lost.promise,
    isAtRest: () => new Promise(() => {}),
  });
  void supervisor.run(false);
  await until(supervisor, "up");
  const asked = supervisor.hibernate();
  lost.resolve("gone");
  expect(await asked).toBe(false);
});

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ManualClock } from "../../test/support/bus/manual-clock.ts";
import { backgroundClock, startTime, systemClock } from "./clock.ts";

const DAY_MS = 86_400_000;

describe.each([
  ["systemClock", systemClock],
  ["backgroundClock", backgroundClock],
])("%s.after", (_name, clock) => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("waits sixty days when the delay is sixty days, and can be cancelled on any of them", () => {
    const call = vi.fn<() => void>();
    const cancelled = vi.fn<() => void>();
    clock.after(60 * DAY_MS, call);
    const cancel = clock.after(60 * DAY_MS, cancelled);
    vi.advanceTimersByTime(60 * DAY_MS - 1);
    expect(call).not.toHaveBeenCalled();
    cancel();
    vi.advanceTimersByTime(1);
    expect(call).toHaveBeenCalledOnce();
    expect(cancelled).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("never calls back when the delay is infinite", () => {
    const call = vi.fn<() => void>();
    const cancel = clock.after(Infinity, call);
    vi.advanceTimersByTime(400 * DAY_MS);
    expect(call).not.toHaveBeenCalled();
    cancel();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("backgroundClock", () => {
  it("starts timers that keep no process alive, and systemClock starts those that do", () => {
    const started: NodeJS.Timeout[] = [];
    const { setTimeout: real } = globalThis;
    const spy = vi.spyOn(globalThis, "setTimeout").mockImplementation(((
      call: () => void,
      ms: number,
    ) => {
      const timer = real(call, ms);
      started.push(timer);
      return timer;
    }) as typeof setTimeout);
    const cancels = [backgroundClock, systemClock].map((clock) => clock.after(DAY_MS, () => {}));
    spy.mockRestore();
    expect(started.map((timer) => timer.hasRef())).toEqual([false, true]);
    for (const cancel of cancels) cancel();
  });
});

describe("startTime", () => {
  it("goes on with the steady clock when a person sets the wall clock", () => {
    const clock = new ManualClock();
    const nowMs = startTime(clock);
    const startMs = nowMs();
    clock.jump(-3_600_000);
    clock.advance(5);
    expect(nowMs()).toBe(startMs + 5);
  });
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { realTimers } from "./timers.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY_MS = 86_400_000;

test("sixty days are sixty days, and can be called off in any of them", () => {
  const run = vi.fn<() => void>();
  const calledOff = vi.fn<() => void>();
  realTimers.after(60 * DAY_MS, run);
  const cancel = realTimers.after(60 * DAY_MS, calledOff);
  vi.advanceTimersByTime(60 * DAY_MS - 1);
  expect(run).not.toHaveBeenCalled();
  cancel();
  vi.advanceTimersByTime(1);
  expect(run).toHaveBeenCalledOnce();
  expect(calledOff).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startDeadline } from "./start-time-limit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const DAY_MS = 24 * 60 * 60_000;

test.each([
  ["a second", 1_000, 1],
  ["no limit", 0, 0],
  ["more than a timer can wait", 30 * DAY_MS, 0],
  ["for ever", Infinity, 0],
])("%s", (_name, ms, over) => {
  const onOver = vi.fn<() => void>();
  startDeadline(ms, onOver);
  vi.advanceTimersByTime(DAY_MS);
  expect(onOver).toHaveBeenCalledTimes(over);
});

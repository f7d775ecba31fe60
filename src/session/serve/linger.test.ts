import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Linger } from "./linger.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("ends when no client ever came", () => {
  const onAlone = vi.fn<() => void>();
  const linger = new Linger(1000, true, onAlone);
  vi.advanceTimersByTime(999);
  expect(onAlone).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onAlone).toHaveBeenCalledOnce();
  linger.stop();
});

test("the time restarts when the last client has left", () => {
  const onAlone = vi.fn<() => void>();
  const linger = new Linger(1000, true, onAlone);
  linger.come();
  linger.come();
  linger.go();
  vi.advanceTimersByTime(5000);
  linger.go();
  vi.advanceTimersByTime(999);
  linger.come();
  linger.go();
  vi.advanceTimersByTime(999);
  expect(onAlone).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onAlone).toHaveBeenCalledOnce();
});

test("a time longer than any system timer is waited for", () => {
  const onAlone = vi.fn<() => void>();
  const linger = new Linger(3e9, true, onAlone);
  vi.advanceTimersByTime(3e9 - 1);
  expect(onAlone).not.toHaveBeenCalled();
  linger.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test("without a time it waits for ever, and after stop nothing happens", () => {
  const onAlone = vi.fn<() => void>();
  const patient = new Linger(undefined, true, onAlone);
  patient.come();
  patient.go();
  const stopped = new Linger(1000, true, onAlone);
  stopped.come();
  stopped.stop();
  stopped.go();
  vi.advanceTimersByTime(1e9);
  expect(onAlone).not.toHaveBeenCalled();
});

test("[SES-21] Linger counts time only while there is nothing to do, and starts again at zero after that", () => {
  const onAlone = vi.fn<() => void>();
  const linger = new Linger(1000, false, onAlone);
  vi.advanceTimersByTime(5000);
  linger.rest(true);
  vi.advanceTimersByTime(999);
  linger.rest(false);
  vi.advanceTimersByTime(5000);
  linger.rest(true);
  // Hearing it again changes nothing.
  vi.advanceTimersByTime(500);
  linger.rest(true);
  linger.come();
  linger.rest(false);
  linger.rest(true);
  vi.advanceTimersByTime(5000);
  linger.go();
  vi.advanceTimersByTime(999);
  expect(onAlone).not.toHaveBeenCalled();
  linger.rest(true);
  vi.advanceTimersByTime(1);
  expect(onAlone).toHaveBeenCalledOnce();
});

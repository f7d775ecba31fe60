import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RequestOptions } from "./model-options.ts";
import { endInTime } from "./limits.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What the request was ended with, and how it lets go. */
function limited(options: RequestOptions) {
  const ends: unknown[] = [];
  return { ends, release: endInTime(options, (error) => ends.push(error)) };
}

test("a request has 120 s unless told otherwise", () => {
  const { ends } = limited({});
  vi.advanceTimersByTime(119_999);
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ends).toMatchObject([{ code: "timeout", data: { timeout_seconds: 120 } }]);
});

test("it has the time that it was given, and with 0 all time", () => {
  const [short, endless] = [limited({ timeoutMs: 500 }), limited({ timeoutMs: 0 })];
  vi.advanceTimersByTime(24 * 60 * 60_000);
  expect(short.ends).toMatchObject([{ data: { timeout_seconds: 0.5 } }]);
  expect(endless.ends).toEqual([]);
});

test("an abort ends it, with its reason; what has ended hears of nothing", () => {
  const abort = new AbortController();
  const [open, done] = [limited({ signal: abort.signal }), limited({ signal: abort.signal })];
  done.release();
  abort.abort("enough");
  vi.advanceTimersByTime(120_000);
  expect(open.ends[0]).toMatchObject({ code: "aborted", cause: "enough" });
  expect(done.ends).toEqual([]);
});

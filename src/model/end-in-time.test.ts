import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RequestOptions } from "./model-options.ts";
import { endInTime } from "./end-in-time.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** What the request was ended with, and how it lets go. */
function limited(options: RequestOptions) {
  const ends: unknown[] = [];
  return { ends, release: endInTime(options, (error) => ends.push(error)) };
}

test("a request has 120 s by default", () => {
  const { ends } = limited({});
  vi.advanceTimersByTime(119_999);
  expect(ends).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ends).toMatchObject([{ code: "timeout", data: { timeout_seconds: 120 } }]);
});

test("a request has the given time, and with 0 no limit", () => {
  const [short, endless] = [limited({ timeoutMs: 500 }), limited({ timeoutMs: 0 })];
  vi.advanceTimersByTime(24 * 60 * 60_000);
  expect(short.ends).toMatchObject([{ data: { timeout_seconds: 0.5 } }]);
  expect(endless.ends).toEqual([]);
});

test("an abort ends a request with its reason; one that has ended ignores it", () => {
  const abort = new AbortController();
  const [open, done] = [limited({ signal: abort.signal }), limited({ signal: abort.signal })];
  done.release();
  abort.abort("enough");
  vi.advanceTimersByTime(120_000);
  expect(open.ends[0]).toMatchObject({ code: "aborted", cause: "enough" });
  expect(done.ends).toEqual([]);
});

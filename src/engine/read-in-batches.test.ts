import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readInBatches } from "./read-in-batches.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream that is read, and pieces that come to it at their own pace. */
function stage() {
  const stream = new Readable({ read: () => {} });
  readInBatches(stream);
  stream.on("data", () => {});
  const comes = (times: number, everyMs: number): void => {
    for (let at = 0; at < times; at++) {
      stream.emit("data", Buffer.from("x"));
      vi.advanceTimersByTime(everyMs);
    }
  };
  return { stream, comes };
}

test("readInBatches does not delay a turn with few pieces, or an answer at a model's pace", () => {
  const { stream, comes } = stage();
  const pause = vi.spyOn(stream, "pause");
  comes(30, 0);
  vi.advanceTimersByTime(200);
  comes(30, 1);
  vi.advanceTimersByTime(200);
  comes(500, 5);
  expect(pause).not.toHaveBeenCalled();
});

test("readInBatches does not delay short turns in direct succession, however many pieces they have", () => {
  const { stream, comes } = stage();
  const pause = vi.spyOn(stream, "pause");
  for (let part = 0; part < 50; part += 1) {
    comes(12, 0);
    vi.advanceTimersByTime(8);
  }
  expect(pause).not.toHaveBeenCalled();
});

test("readInBatches pauses after each piece of a rush, until nothing more arrives", () => {
  const { stream, comes } = stage();
  const pause = vi.spyOn(stream, "pause");
  comes(33, 0);
  expect(stream.isPaused()).toBe(true);
  vi.advanceTimersByTime(10);
  expect(stream.isPaused()).toBe(false);
  comes(1, 0);
  expect(stream.isPaused()).toBe(true);
  vi.advanceTimersByTime(10 + 6);
  pause.mockClear();
  comes(20, 1);
  expect(pause).not.toHaveBeenCalled();
});

test("readInBatches does not start reading before a consumer does", () => {
  const stream = new Readable({ read: () => {} });
  readInBatches(stream);
  expect(stream.readableFlowing).toBe(null);
  stream.on("end", () => {});
  expect(stream.readableFlowing).toBe(null);
  stream.on("data", () => {});
  expect(stream.readableFlowing).toBe(true);
});

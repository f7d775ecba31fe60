import * as fc from "fast-check";
import { expect, test } from "vitest";
import { DEFAULT_PATIENCE_MS, isSignDue, readPatience, retryAfterMs } from "./host-wait-times.ts";

test("retryAfterMs retries soon at first, later once a second, and never less often", () => {
  expect([0, 1000, 4000, 60_000].map(retryAfterMs)).toEqual([100, 100, 200, 1000]);
  fc.assert(
    fc.property(fc.nat(), fc.nat(), (one, other) => {
      const [less, more] = [Math.min(one, other), Math.max(one, other)];
      expect(retryAfterMs(less)).toBeLessThanOrEqual(retryAfterMs(more));
    }),
  );
});

test("isSignDue returns true every five seconds", () => {
  expect([4999, 5000].map(isSignDue)).toEqual([false, true]);
});

test("readPatience reads the bridge's fourth argument", () => {
  expect(readPatience(undefined)).toBe(DEFAULT_PATIENCE_MS);
  expect(readPatience("60000")).toBe(60_000);
  for (const wrong of ["", "-1", "1.5", "soon", "1e3"]) expect(readPatience(wrong)).toBeUndefined();
});

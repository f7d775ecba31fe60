import * as fc from "fast-check";
import { expect, test } from "vitest";
import { backOffMs } from "./back-off.ts";

const policies = fc.record({
  firstDelayMs: fc.integer({ min: 1, max: 10_000 }),
  maxDelayMs: fc.integer({ min: 1, max: 100_000 }),
  factor: fc.double({ min: 1, max: 10, noNaN: true }),
});
const failures = fc.integer({ min: 0, max: 2_000 });

test("backOffMs doubles the wait with each failure, up to the longest", () => {
  const policy = { firstDelayMs: 1_000, maxDelayMs: 10_000, factor: 2 };
  const waits = [1, 2, 3, 4, 5, 6].map((count) => backOffMs(count, policy));
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
});

test("backOffMs never shrinks with more failures and never exceeds the longest wait", () => {
  fc.assert(
    fc.property(policies, failures, (policy, count) => {
      const [wait, next] = [backOffMs(count, policy), backOffMs(count + 1, policy)];
      expect(wait).toBeGreaterThanOrEqual(Math.min(policy.firstDelayMs, policy.maxDelayMs));
      expect(next).toBeGreaterThanOrEqual(wait);
      expect(next).toBeLessThanOrEqual(policy.maxDelayMs);
    }),
  );
});

test("backOffMs stays between the two ends of its jitter", () => {
  const jitters = fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.double({ min: 1, max: 3, noNaN: true }),
  );
  fc.assert(
    fc.property(policies, failures, jitters, (policy, count, [from, to]) => {
      const plain = backOffMs(count, policy);
      const wait = backOffMs(count, policy, { from, to });
      expect(wait).toBeGreaterThanOrEqual(plain * from);
      expect(wait).toBeLessThanOrEqual(plain * to * (1 + Number.EPSILON * 4));
    }),
  );
});

test("backOffMs spreads the waits of many over the whole jitter", () => {
  const policy = { firstDelayMs: 1_000, maxDelayMs: 1_000, factor: 1 };
  const waits = Array.from({ length: 500 }, () => backOffMs(1, policy, { from: 0.8, to: 1.2 }));
  expect(Math.min(...waits)).toBeLessThan(850);
  expect(Math.max(...waits)).toBeGreaterThan(1_150);
});

import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { sinceBootMs } from "./time-since-boot.ts";

test("sinceBootMs goes on with real time", async () => {
  const before = sinceBootMs();
  const beforeMs = performance.now();
  await delay(200);
  const went = sinceBootMs() - before;
  expect(Math.abs(went - (performance.now() - beforeMs))).toBeLessThan(100);
});

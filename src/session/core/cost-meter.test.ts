import { expect, test } from "vitest";
import { CostMeter } from "./cost-meter.ts";

test("CostMeter returns what a turn added, also where the CLI continues or restarts its total", () => {
  const meter = new CostMeter();
  expect(meter.take(0.051072)).toBe(0.051072);
  expect(meter.take(0.102248)).toBe(0.051176);
  // Killed: the next one counts from what the last clean end had left, or from nothing.
  meter.restart(0.051072);
  expect(meter.take(0.102352)).toBe(0.05128);
  meter.restart(0);
  expect(meter.take(0.2)).toBe(0.2);
  // After /clear.
  expect(meter.take(0)).toBe(0);
  expect(meter.take(0.05)).toBe(0.05);
});

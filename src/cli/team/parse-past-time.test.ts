import { expect, onTestFinished, test, vi } from "vitest";
import { pastTime } from "./parse-past-time.ts";

test("pastTime reads how long ago, a time with its zone, and a time of where the person is", () => {
  vi.useFakeTimers({ now: Date.parse("2026-11-18T12:00:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  expect(pastTime("2h")).toBe("2026-11-18T10:00:00.000Z");
  expect(pastTime("2026-11-18T09:30:00+02:00")).toBe("2026-11-18T07:30:00.000Z");
  expect(pastTime("2026-11-18T09:30")).toBe(new Date("2026-11-18T09:30").toISOString());
  expect(pastTime("2026-11-18")).toBe(new Date(2026, 10, 18).toISOString());
});

test.each(["", "soon", "2w", "-1h", "2026-13-01", "+999999-01-01T00:00:00Z"])(
  "pastTime refuses %j",
  (text) => {
    expect(() => pastTime(text)).toThrow(/Expected how long ago/);
  },
);

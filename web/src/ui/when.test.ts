import { expect, test } from "vitest";
import { dayAndTime } from "./when.tsx";

test("times of other days have their day", () => {
  const now = new Date(2026, 10, 18, 12, 0, 0);
  expect(dayAndTime(new Date(2026, 10, 18, 9, 5, 7), now)).toBe("09:05:07");
  expect(dayAndTime(new Date(2026, 10, 17, 9, 5, 7), now)).toBe("Nov 17, 09:05:07");
});

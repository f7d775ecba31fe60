import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TimeAxis } from "./time-axis.ts";

const NOON = Date.parse("2026-11-18T12:00:00Z");
const HOUR = 3_600_000;

test("time without an event is folded, at once when nobody works", () => {
  const moments = [NOON, NOON + 10_000, NOON + 2 * HOUR];
  const idle = new TimeAxis({ moments, works: [], now: NOON + 2 * HOUR }, 10);
  expect(idle.folds).toMatchObject([{ from: NOON + 10_000, to: NOON + 2 * HOUR, x: 100 }]);
  expect(idle.width).toBe(156);
  const works = [{ from: NOON, to: NOON + 100_000 }];
  const minute = new TimeAxis({ moments: [NOON, NOON + 100_000], works, now: NOON + 100_000 }, 10);
  expect([minute.folds, minute.width]).toEqual([[], 1000]);
});

test("somebody who still works keeps time unfolded up to now, for five minutes", () => {
  const works = [{ from: NOON, to: undefined }];
  const at = (ms: number) => new TimeAxis({ moments: [NOON], works, now: NOON + ms }, 1);
  expect(at(240_000).folds).toEqual([]);
  expect(at(600_000).folds).toHaveLength(1);
});

test("marks are round times, apart from each other and from folds", () => {
  const moments = [NOON + 400, NOON + 100_000, NOON + HOUR, NOON + HOUR + 100_000];
  const works = [
    { from: NOON, to: NOON + 100_000 },
    { from: NOON + HOUR, to: undefined },
  ];
  const axis = new TimeAxis({ moments, works, now: NOON + HOUR + 100_000 }, 10);
  const marks = axis.marks(0, axis.width);
  expect(marks.length).toBeGreaterThan(5);
  for (const { at, x } of marks) {
    expect(at % 15_000).toBe(0);
    expect(axis.folds.some((fold) => x > fold.x && x < fold.x + fold.width)).toBe(false);
  }
  expect(axis.marks(5000, 6000)).toEqual([]);
});

test("places grow with time, and a place leads back to its time", () => {
  const times = fc.array(fc.nat(20 * HOUR), { minLength: 2, maxLength: 60 });
  const works = fc.array(fc.record({ from: fc.nat(20 * HOUR), to: fc.nat(20 * HOUR) }));
  fc.assert(
    fc.property(
      times,
      works,
      fc.double({ min: 0.1, max: 50, noNaN: true }),
      (moments, busy, px) => {
        const axis = new TimeAxis({ moments, works: busy, now: 20 * HOUR }, px);
        const sorted = moments.toSorted((a, b) => a - b);
        const places = sorted.map((at) => axis.xOf(at));
        expect(places).toEqual(places.toSorted((a, b) => a - b));
        expect(axis.xOf(20 * HOUR)).toBeCloseTo(axis.width, 3);
        for (const [index, x] of places.entries()) {
          expect(Math.abs((axis.timeOf(x) ?? 0) - sorted[index]!)).toBeLessThan(5);
        }
      },
    ),
  );
});

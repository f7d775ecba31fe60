import { expect, test } from "vitest";
import { fittingZoom } from "./fitting-zoom.ts";

const zooms = [1, 2, 4, 8, 16, 32, 64];
const zoomOf = (seconds: number, folds: number, sight: number): number | undefined => {
  const fold = { from: 0, to: 1, x: 0, width: 56 };
  const axis = { width: seconds + 56 * folds, folds: Array.from({ length: folds }, () => fold) };
  return zooms[fittingZoom(axis, sight, zooms)];
};

test("`fittingZoom` shows all that has happened as large as it fits", () => {
  expect(zoomOf(20, 0, 660)).toBe(32);
  expect(zoomOf(40, 0, 660)).toBe(16);
  expect(zoomOf(40, 2, 660)).toBe(8);
});

test("`fittingZoom` neither blows up a moment nor shrinks a long time to nothing", () => {
  expect(zoomOf(1, 0, 660)).toBe(32);
  expect(zoomOf(7200, 0, 660)).toBe(4);
  expect(zoomOf(0, 0, 0)).toBe(8);
});

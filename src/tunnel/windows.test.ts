import { expect, test } from "vitest";
import { Windows } from "./windows.ts";

test("a window is 512 KiB for a few streams, and all of them stay below what a server lets wait", () => {
  const windows = new Windows();
  const taken = Array.from({ length: 1000 }, () => windows.take());
  expect(taken.slice(0, 80).every((bytes) => bytes === 512 * 1024)).toBe(true);
  expect(taken.at(-1)).toBe(16 * 1024);
  expect(taken.reduce((sum, bytes) => sum + bytes)).toBeLessThan(64 * 1024 * 1024);
  for (const window of taken) windows.giveBack(window);
  expect(windows.take()).toBe(512 * 1024);
});

// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { pauseBetween } from "./use-playing.ts";
import { seqOf } from "./use-scene.ts";

test("only the number of an event asks for a replay", () => {
  expect(seqOf("57")).toBe(57);
  const others = [undefined, "", "0", "-1", "1.5", "x"];
  expect(others.filter((text) => seqOf(text) !== undefined)).toEqual([]);
});

test("a replay goes in the team's own pace, but nobody waits long for the next event", () => {
  expect([1, 4, 16].map((speed) => pauseBetween(0, 1000, speed))).toEqual([1000, 250, 62.5]);
  expect(pauseBetween(0, 7_200_000, 1)).toBe(1500);
  expect(pauseBetween(5, 5, 1)).toBe(60);
});

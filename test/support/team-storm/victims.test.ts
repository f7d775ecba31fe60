import { expect, test } from "vitest";
import type { Clock } from "./victims.ts";
import { hostsOf, slowdownBetween } from "./victims.ts";

const seconds = (ran: number, waited: number): Clock => ({ ran: ran * 1e9, waited: waited * 1e9 });

test("a slow-down is what held them up since the strike, not before it", () => {
  const before = new Map([
    [1, seconds(10, 90)],
    [2, seconds(5, 0)],
  ]);
  const quiet = new Map([
    [1, seconds(11, 90)],
    [2, seconds(6, 0)],
  ]);
  expect(slowdownBetween(before, quiet)).toBe(1);
  expect(slowdownBetween(before, new Map([...quiet, [3, seconds(1, 6)]]))).toBe(3);
  expect(slowdownBetween(before, new Map([[2, seconds(6, 3)]]))).toBe(4);
  // A new process under an old number.
  expect(slowdownBetween(before, new Map([[1, seconds(2, 2)]]))).toBe(2);
});

test("slowdownBetween gives little weight to a process that hardly ran", () => {
  const idle = new Map([
    [1, seconds(0.01, 1)],
    [2, seconds(0.99, 0)],
  ]);
  expect(slowdownBetween(new Map(), idle)).toBeCloseTo(2);
  expect(slowdownBetween(idle, idle)).toBe(1);
});

test("a host dies by itself, or with all", () => {
  expect(hostsOf("coder host")).toEqual(["coder"]);
  expect(hostsOf("all")).toEqual(["boss", "coder"]);
  expect([...hostsOf("team"), ...hostsOf("boss cli")]).toEqual([]);
});

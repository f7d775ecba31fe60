import { expect, test } from "vitest";
import { Deadlines } from "./deadlines.ts";
import { commandCall } from "./fake-decider.ts";

test("`Deadlines` counts from the time that was left when the event came, by the page's clock", () => {
  const deadlines = new Deadlines();
  expect(deadlines.look([commandCall("a")], 1000, true)).toBe(false);
  expect(deadlines.endsAt("a")).toBe(301_000);
  // Looked at again later, nothing moves.
  deadlines.look([commandCall("a")], 50_000, true);
  expect(deadlines.endsAt("a")).toBe(301_000);
});

test("`Deadlines` says nothing of an old event until the host has told what is left", () => {
  const deadlines = new Deadlines();
  expect(deadlines.look([commandCall("a")], 1000, false)).toBe(true);
  expect(deadlines.endsAt("a")).toBeUndefined();
  deadlines.learn([commandCall("a", { remaining_ms: 7000 })], 2000);
  expect(deadlines.look([commandCall("a")], 3000, false)).toBe(false);
  expect(deadlines.endsAt("a")).toBe(9000);
});

test("`Deadlines` keeps what the host told before the events came", () => {
  const deadlines = new Deadlines();
  deadlines.learn([commandCall("a", { remaining_ms: 7000 })], 2000);
  deadlines.look([], 2100, true);
  deadlines.look([commandCall("a")], 3000, true);
  expect(deadlines.endsAt("a")).toBe(9000);
});

test("`Deadlines` starts again when a person has asked for more time", () => {
  const deadlines = new Deadlines();
  deadlines.look([commandCall("a")], 1000, true);
  const held = { deadline: "2026-11-18T13:00:00.000Z", remaining_ms: 3_600_000 };
  deadlines.look([commandCall("a", held)], 2000, true);
  expect(deadlines.endsAt("a")).toBe(3_602_000);
});

test("`Deadlines` knows none of a call that waits for ever", () => {
  const deadlines = new Deadlines();
  const forEver = commandCall("a", { deadline: undefined, remaining_ms: undefined });
  expect(deadlines.look([forEver], 1000, true)).toBe(false);
  expect(deadlines.endsAt("a")).toBeUndefined();
});

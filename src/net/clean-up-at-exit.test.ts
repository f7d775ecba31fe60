import { expect, test } from "vitest";
import { onExit } from "./clean-up-at-exit.ts";

const EVENTS = ["exit", "SIGTERM", "SIGINT", "SIGHUP"] as const;
const doNothing = (): void => {};
const listenerCounts = (): number[] => EVENTS.map((event) => process.listenerCount(event));

test("onExit adds its listeners to the process once, and removes them with the last registration", () => {
  const before = listenerCounts();
  const withOurs = before.map((count) => count + 1);

  const unregisterFirst = onExit(doNothing);
  const unregisterSecond = onExit(doNothing);
  expect(listenerCounts()).toEqual(withOurs);

  unregisterFirst();
  unregisterFirst();
  expect(listenerCounts()).toEqual(withOurs);
  unregisterSecond();
  expect(listenerCounts()).toEqual(before);
});

test("onExit counts a function that is registered twice as two registrations", () => {
  const before = listenerCounts();
  const unregisterFirst = onExit(doNothing);
  const unregisterSecond = onExit(doNothing);
  unregisterFirst();
  expect(listenerCounts()).not.toEqual(before);
  unregisterSecond();
  expect(listenerCounts()).toEqual(before);
});

test("a second copy of the module shares the first one's listeners", async () => {
  const copyOfTheModule = "./clean-up-at-exit.ts?copy";
  const copy = (await import(copyOfTheModule)) as { onExit: typeof onExit };
  expect(copy.onExit).toBe(onExit);
  const unregisterFirst = onExit(doNothing);
  const counts = listenerCounts();
  const unregisterSecond = copy.onExit(doNothing);
  expect(listenerCounts()).toEqual(counts);
  unregisterFirst();
  unregisterSecond();
});

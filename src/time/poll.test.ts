import { expect, test } from "vitest";
import { HandTimers } from "../../test/support/hand-timers.ts";
import { poll } from "./poll.ts";

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("poll looks again only after the last look has ended", async () => {
  const timers = new HandTimers();
  const looks: PromiseWithResolvers<void>[] = [];
  const look = (): Promise<void> => {
    const each = Promise.withResolvers<void>();
    looks.push(each);
    return each.promise;
  };
  const stop = poll(500, look, () => {}, timers);
  timers.pass(2_000);
  expect(looks).toHaveLength(1);
  looks[0]!.resolve();
  await settled();
  timers.pass(499);
  expect(looks).toHaveLength(1);
  timers.pass(1);
  expect(looks).toHaveLength(2);
  stop();
});

test("poll looks again after a look that failed, and reports the failure", async () => {
  const timers = new HandTimers();
  const errors: unknown[] = [];
  let looks = 0;
  const look = async (): Promise<void> => {
    looks += 1;
    throw new Error(`look ${looks}`);
  };
  const stop = poll(500, look, (error) => errors.push(error), timers);
  for (let each = 0; each < 3; each += 1) {
    timers.pass(500);
    await settled();
  }
  expect(looks).toBe(3);
  expect(errors.map(String)).toEqual(["Error: look 1", "Error: look 2", "Error: look 3"]);
  stop();
});

test("poll does not look any more once it is stopped, also when that is during a look", async () => {
  const timers = new HandTimers();
  let looks = 0;
  const open = Promise.withResolvers<void>();
  const look = (): Promise<void> => {
    looks += 1;
    return open.promise;
  };
  const stop = poll(500, look, () => {}, timers);
  timers.pass(500);
  stop();
  open.resolve();
  await settled();
  timers.pass(5_000);
  expect([looks, timers.waiting]).toEqual([1, 0]);
});

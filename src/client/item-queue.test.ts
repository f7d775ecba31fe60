import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { ItemQueue } from "./item-queue.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const all = (item: object): item is object => item !== undefined;

test("ItemQueue does not keep taken items for a reader that never catches up", async () => {
  const queue = new ItemQueue<object>(all);
  const reader = queue[Symbol.asyncIterator]();
  const taken: WeakRef<object>[] = [];
  queue.push({});
  for (let n = 0; n < 20_000; n += 1) {
    const item = {};
    taken.push(new WeakRef(item));
    queue.push(item);
    await reader.next();
  }
  expect(queue.length).toBe(1);
  await expect
    .poll(() => {
      collectGarbage();
      return taken.filter((item) => item.deref()).length;
    })
    .toBeLessThan(5_000);
});

test("ItemQueue returns items in order, without those that are not for the reader", async () => {
  const queue = new ItemQueue<number>((item): item is number => item % 2 === 0);
  for (let n = 0; n < 5_000; n += 1) queue.push(n);
  queue.end();
  const taken: number[] = [];
  for await (const item of queue) taken.push(item);
  expect(taken).toEqual(Array.from({ length: 2_500 }, (_, n) => 2 * n));
});

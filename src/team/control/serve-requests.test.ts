import { expect, test } from "vitest";
import { serveRequests } from "./serve-requests.ts";

async function* numbers(count: number): AsyncGenerator<number> {
  for (let n = 0; n < count; n += 1) yield n;
}

test("serveRequests works on eight requests at a time, and takes the next when one is answered", async () => {
  const begun: number[] = [];
  const read: (() => void)[] = [];
  const served = serveRequests(numbers(20), (n) => {
    begun.push(n);
    return new Promise<void>((resolve) => read.push(resolve));
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toHaveLength(8);
  read[3]?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toHaveLength(9);
  while (begun.length < 20) {
    for (const done of read) done();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await served;
  expect(begun).toEqual(Array.from({ length: 20 }, (_, n) => n));
});

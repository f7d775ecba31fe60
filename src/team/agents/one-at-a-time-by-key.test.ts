import { expect, test } from "vitest";
import { OneAtATime } from "./one-at-a-time-by-key.ts";

test("`OneAtATime` begins a work when the one before it under the same key has settled, also with an error", async () => {
  const order = new OneAtATime();
  const began: string[] = [];
  const first = Promise.withResolvers<string>();
  const runs = [
    order.run("a", () => (began.push("first"), first.promise)),
    order.run("a", async () => began.push("second")),
    order.run("b", async () => began.push("other")),
  ];
  await runs[2];
  expect(began).toEqual(["first", "other"]);
  first.reject(new Error("failed"));
  await expect(runs[0]).rejects.toThrow("failed");
  await runs[1];
  expect(began).toEqual(["first", "other", "second"]);
});

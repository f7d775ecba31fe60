import { expect, test } from "vitest";
import { errorOf } from "../../wire/errors.ts";
import { LostCalls } from "./report-lost-calls.ts";

test("LostCalls reports once why a call was lost, for all calls of its answer", () => {
  const lost = new LostCalls();
  const error = errorOf("timeout", "Too late.");
  lost.add(["a", "b"], error);
  expect(lost.take(["x"])).toBeUndefined();
  expect(lost.take(["x", "a", "b"])).toBe(error);
  expect(lost.take(["b"])).toBeUndefined();
});

test("LostCalls forgets the oldest when there are too many", () => {
  const lost = new LostCalls();
  for (let n = 0; n <= 1_000; n += 1) lost.add([String(n)], errorOf("timeout", `${n}`));
  expect(lost.take(["0"])).toBeUndefined();
  expect(lost.take(["1"])?.message).toBe("1");
  expect(lost.take(["1000"])?.message).toBe("1000");
});

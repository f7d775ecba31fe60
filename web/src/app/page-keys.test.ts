import { expect, test } from "vitest";
import { KeySequence } from "./page-keys.ts";

test("`KeySequence` knows g and a letter that follows soon, and ?", () => {
  const keys = new KeySequence();
  expect(keys.take("?", 0)).toBe("keys");
  expect(keys.take("b", 0)).toBeUndefined();
  expect(keys.take("g", 100)).toBeUndefined();
  expect(keys.take("b", 1500)).toBe("board");
  expect(keys.take("b", 1600)).toBeUndefined();
  keys.take("g", 2000);
  expect(keys.take("c", 3501)).toBeUndefined();
  keys.take("g", 4000);
  expect(keys.take("x", 4001)).toBeUndefined();
  expect(keys.take("c", 4002)).toBeUndefined();
});

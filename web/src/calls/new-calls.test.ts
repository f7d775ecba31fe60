import { expect, test } from "vitest";
import { commandCall } from "./fake-decider.ts";
import { NewCalls } from "./new-calls.ts";

const ids = (calls: readonly { id: string }[]): string[] => calls.map(({ id }) => id);
const [a, b, c] = [commandCall("a"), commandCall("b"), commandCall("c")];

test("`NewCalls` tells of calls that come after the page has caught up, each once", () => {
  const calls = new NewCalls();
  expect(calls.look([a], false)).toEqual([]);
  expect(calls.look([a, b], true)).toEqual([]);
  expect(ids(calls.look([a, b, c], true))).toEqual(["c"]);
  expect(calls.look([a, b, c], true)).toEqual([]);
});

test("`NewCalls` does not tell again of a call that is replayed after a lost connection", () => {
  const calls = new NewCalls();
  calls.look([a], true);
  expect(calls.look([], true)).toEqual([]);
  expect(calls.look([a], false)).toEqual([]);
  expect(ids(calls.look([a, b], true))).toEqual(["b"]);
});

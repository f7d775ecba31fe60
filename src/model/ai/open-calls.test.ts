import { expect, test } from "vitest";
import type { ToolUseEvent } from "../../engine/events.ts";
import { OpenCalls } from "./open-calls.ts";

const use = (id: string, tool: string): ToolUseEvent => ({
  type: "tool_use",
  request_id: id,
  tool,
  input: {},
});
const openCalls = (): OpenCalls => new OpenCalls((tool) => tool.startsWith("own"));
const idsOf = (uses: ToolUseEvent[]): string[] => uses.map((each) => each.request_id);

test.each([
  ["told first", true],
  ["made first", false],
])("a call that is %s waits when it was both reported and made", async (_name, isToldFirst) => {
  const calls = openCalls();
  const tell = (): void => calls.use(use("1", "own"));
  let answered: Promise<unknown> | undefined;
  const make = (): void => void (answered = calls.hold("1"));
  const [first, second] = isToldFirst ? [tell, make] : [make, tell];
  first();
  expect(calls.takeNew()).toEqual([]);
  expect(calls.onlyWaiting).toBe(false);
  second();
  expect(idsOf(calls.takeNew())).toEqual(["1"]);
  expect(calls.takeNew()).toEqual([]);
  expect([calls.waiting, calls.onlyWaiting]).toEqual([["1"], true]);
  calls.answer("1", "the result");
  expect(await answered).toBe("the result");
  expect(calls.waiting).toEqual([]);
});

test("calls do not all wait for the caller while one is on its way or Claude Code runs one", () => {
  const calls = openCalls();
  calls.use(use("1", "own_a"));
  calls.use(use("2", "own_b"));
  void calls.hold("1");
  expect(idsOf(calls.takeNew())).toEqual(["1"]);
  expect([calls.waiting, calls.onlyWaiting]).toEqual([["1"], false]);
  void calls.hold("2");
  expect(idsOf(calls.takeNew())).toEqual(["2"]);
  expect(calls.onlyWaiting).toBe(true);
  calls.use(use("3", "Bash"));
  expect(calls.onlyWaiting).toBe(false);
  // Told when its result is there: the step may end before that.
  expect(calls.takeForeign()).toEqual([]);
  expect(calls.finish("3")).toMatchObject({ use: { tool: "Bash" }, told: false });
  expect(calls.onlyWaiting).toBe(true);
});

test("calls of Claude Code alone are reported at once, and once", () => {
  const calls = openCalls();
  calls.use(use("1", "Bash"));
  expect(idsOf(calls.takeForeign())).toEqual(["1"]);
  expect(calls.takeForeign()).toEqual([]);
  expect(calls.finish("1")).toMatchObject({ told: true });
  expect(calls.finish("1")).toBeUndefined();
});

test("a call that was refused before it was made does not keep the step waiting", () => {
  const calls = openCalls();
  calls.use(use("1", "own"));
  expect(calls.finish("1")).toMatchObject({ told: false });
  expect(calls.onlyWaiting).toBe(true);
});

import { expect, test } from "vitest";
import { doingOf, shortTool } from "./doing.ts";

const view = {
  state: "working",
  reason: undefined,
  since: "",
  costUsd: 0,
  tokens: 0,
  turns: 0,
  turn: { id: "t1", startedAt: "" },
  current: undefined,
  text: "",
} as const;

test("a running call counts more than words", () => {
  const current = { request_id: "r", tool: "mcp__team__send_message", summary: "b: hello" };
  expect(doingOf({ ...view, current, text: "I ask." })).toBe("send_message b: hello");
  expect(doingOf(undefined)).toBe("");
});

test("of a long text that is still being said the end is shown, else the beginning", () => {
  const text = `first ${"x ".repeat(200)}last`;
  expect(doingOf({ ...view, text })).toMatch(/^….*last$/);
  expect(doingOf({ ...view, turn: undefined, text })).toMatch(/^first .*…$/);
});

test("the name of a tool is short", () => {
  expect([shortTool("Bash"), shortTool("mcp__my_db__run_query")]).toEqual(["Bash", "run_query"]);
});

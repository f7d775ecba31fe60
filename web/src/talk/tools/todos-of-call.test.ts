import type { ToolItem } from "agent-switchboard/client/core";
import { expect, test } from "vitest";
import { todosOfCall } from "./todos-of-call.ts";

const call = (tool: string, input: ToolItem["input"]): ToolItem => ({
  kind: "tool",
  key: "call/a",
  requestId: "a",
  tool,
  inputJson: "",
  liveOutput: "",
  ...(input && { input }),
});
const known = [{ id: "1", content: "look", status: "pending" as const }];

test("`todosOfCall` gives a whole list, or the one thing that a call adds or changes", () => {
  const todos = [
    { content: "look", status: "completed" },
    { content: "leap", status: "constructor" },
    null,
  ];
  expect(todosOfCall(call("TodoWrite", { todos }), [])).toEqual([
    { content: "look", status: "completed" },
    { content: "leap", status: "pending" },
    { content: "", status: "pending" },
  ]);
  expect(todosOfCall(call("TaskCreate", { subject: "run", description: "far" }), known)).toEqual([
    { content: "run", status: "pending" },
  ]);
  expect(todosOfCall(call("TaskUpdate", { taskId: "1", status: "in_progress" }), known)).toEqual([
    { content: "look", status: "in_progress" },
  ]);
});

test("`todosOfCall` cannot tell what is not in the list, nor what is not written yet", () => {
  expect(todosOfCall(call("TaskUpdate", { taskId: "2", status: "completed" }), known)).toBe(
    undefined,
  );
  expect(todosOfCall(call("TodoWrite", undefined), known)).toBe(undefined);
});

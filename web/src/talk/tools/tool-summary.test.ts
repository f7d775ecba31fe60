import type { ToolItem } from "agent-switchboard/client/core";
import { expect, test } from "vitest";
import { toolState } from "./tool-state.ts";
import { kindOfTool, toolName, toolSummary } from "./tool-summary.ts";

const call = (more: Partial<ToolItem>): ToolItem => ({
  kind: "tool",
  key: "call/a",
  requestId: "a",
  tool: "Bash",
  inputJson: "",
  liveOutput: "",
  ...more,
});

test.each([
  ["mcp__team__send_message", "team · send_message"],
  ["mcp__my_server__do__it", "my_server · do__it"],
  ["Bash", "Bash"],
  ["mcp__broken", "mcp__broken"],
])("`toolName` of %s is %s", (tool, name) => {
  expect(toolName(tool)).toBe(name);
});

test("`kindOfTool` knows no tool by a name that every object has", () => {
  expect(kindOfTool("constructor")).toBe("other");
});

test.each<[Partial<ToolItem>, string]>([
  [{ input: { command: "ls\nrm x" } }, "ls"],
  [{ tool: "Read", input: { file_path: "/a/b.ts" } }, "/a/b.ts"],
  [{ tool: "Grep", input: { pattern: "x", path: "src" } }, "x · src"],
  [{ tool: "Write", input: { file_path: { blob: "b", bytes: 1, preview: "/long" } } }, "/long"],
  [{ tool: "mcp__a__b", input: { n: 1, text: "hi" } }, "hi"],
  [{ tool: "Bash" }, ""],
])("`toolSummary` of %j is %j", (more, summary) => {
  expect(toolSummary(call(more))).toBe(summary);
});

const at = "2026-11-18T10:00:00.000Z";
const request: NonNullable<ToolItem["request"]> = {
  type: "question",
  seq: 1,
  at,
  request_id: "a",
  questions: [],
};
const decided = (outcome: "allowed" | "denied") =>
  ({ type: "approval_resolved", seq: 2, at, request_id: "a", outcome }) as const;
const result = { type: "tool_result", seq: 3, at, request_id: "a", output: "" } as const;

test.each<[string, Partial<ToolItem>, boolean, string]>([
  ["is being written", {}, false, "writing"],
  ["waits for a person", { input: {}, request }, false, "waits"],
  ["was asked about and the turn is over", { input: {}, request }, true, "notRun"],
  [
    "was allowed and has no result",
    { input: {}, request, decision: decided("allowed") },
    false,
    "running",
  ],
  [
    "was denied",
    { input: {}, decision: decided("denied"), result: { ...result, is_error: true } },
    false,
    "notRun",
  ],
  ["has failed", { input: {}, result: { ...result, is_error: true } }, true, "failed"],
  ["has ended", { input: {}, result: { ...result, is_error: false } }, true, "done"],
  ["runs on", { input: {}, runsOn: true, result: { ...result, is_error: false } }, true, "runsOn"],
])("`toolState` of a call that %s", (_what, more, isTurnOver, state) => {
  expect(toolState(call(more), isTurnOver)).toBe(state);
});

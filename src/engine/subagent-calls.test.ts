import { expect, test } from "vitest";
import type { PermissionRequest } from "./ask-permission.ts";
import { SubagentCalls } from "./subagent-calls.ts";

const request = (agent?: string): PermissionRequest => ({
  request_id: "call-2",
  tool: "Bash",
  input: {},
  suggestions: [],
  signal: new AbortController().signal,
  ...(agent !== undefined && { agent }),
});

test("withParent names the call that started the sub-agent, also before the request's call is reported", () => {
  const calls = new SubagentCalls();
  calls.take({ type: "background_task", task_id: "a1", state: "started", request_id: "call-1" });
  expect(calls.withParent(request("a1")).parent).toBe("call-1");
});

test("withParent names no call for a request of the session itself, or of an unknown sub-agent", () => {
  const calls = new SubagentCalls();
  calls.take({ type: "background_task", task_id: "a1", state: "started", request_id: "call-1" });
  for (const agent of [undefined, "a2"]) {
    expect(calls.withParent(request(agent))).not.toHaveProperty("parent");
  }
});

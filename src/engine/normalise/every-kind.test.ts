import { describe, expect, it } from "vitest";
import { normalised } from "../../../test/support/normalised.ts";
import { everyKind, kindOf, sampleOf, sdkKinds } from "../../../test/support/sdk-messages.ts";
import type { EngineEvent } from "../events.ts";

const fellBack = (original_model: string, fallback_model: string) => ({
  type: "notice" as const,
  code: "model_fallback" as const,
  level: "warning" as const,
  message: `${fallback_model} answers in place of ${original_model}.`,
  data: { original_model, fallback_model, scope: "session" },
});

describe("each kind of message by itself", () => {
  it.each<[string, EngineEvent[]]>([
    ["system/compact_boundary", [{ type: "compacted", trigger: "auto", pre_tokens: 9 }]],
    [
      "system/api_retry",
      [{ type: "retry", attempt: 1, max: 10, delay_ms: 510, status: 529, code: "overloaded" }],
    ],
    [
      "system/status",
      [
        { type: "progress", of: "model_request", state: "started" },
        { type: "mode_changed", mode: "plan" },
      ],
    ],
    [
      "system/model_fallback",
      [{ type: "model_changed", model: "haiku" }, fellBack("opus", "haiku")],
    ],
    [
      "system/model_refusal_fallback",
      [{ type: "model_changed", model: "sonnet" }, fellBack("opus", "sonnet")],
    ],
    ["system/model_refusal_no_fallback", []],
    ["system/local_command_output", [{ type: "text_delta", block: 0, text: "Costs: none" }]],
    [
      "system/hook_started",
      [
        {
          type: "hook",
          hook_id: "h1",
          name: "PreToolUse:Bash",
          event: "PreToolUse",
          state: "started",
        },
      ],
    ],
    [
      "system/hook_progress",
      [
        {
          type: "hook",
          hook_id: "h1",
          name: "PreToolUse:Bash",
          event: "PreToolUse",
          state: "progress",
          output: "out",
        },
      ],
    ],
    [
      "system/hook_response",
      [
        {
          type: "hook",
          hook_id: "h1",
          name: "PreToolUse:Bash",
          event: "PreToolUse",
          state: "success",
          output: "out",
        },
      ],
    ],
    [
      "system/task_started",
      [
        {
          type: "background_task",
          task_id: "t1",
          state: "started",
          description: "look around",
          kind: "local_agent",
        },
      ],
    ],
    [
      "system/task_progress",
      [
        {
          type: "background_task",
          task_id: "t1",
          state: "progress",
          description: "still looking",
          summary: "at the second file",
          last_tool: "Read",
          spent: { total_tokens: 900, tool_uses: 2, duration_ms: 3000 },
        },
      ],
    ],
    [
      "system/task_notification",
      [
        {
          type: "background_task",
          task_id: "t1",
          state: "completed",
          description: "looked",
          output_file: "/tmp/t1",
        },
      ],
    ],
    ["system/thinking_tokens", [{ type: "thinking_progress", tokens: 42 }]],
    ["system/session_state_changed", [{ type: "state", state: "waiting" }]],
    ["system/commands_changed", [{ type: "commands_changed", commands: ["clear"] }]],
    [
      "system/permission_denied",
      [{ type: "tool_denied", request_id: "c1", tool: "Bash", reason: "Not allowed." }],
    ],
    [
      "system/session_writes_lost",
      [
        {
          type: "notice",
          code: "transcript_not_saved",
          message: "Claude Code could not save transcript and global_config: ENOSPC.",
        },
      ],
    ],
    [
      "tool_progress",
      [{ type: "tool_progress", request_id: "c1", tool: "Bash", elapsed_ms: 2500 }],
    ],
    [
      "rate_limit_event",
      [
        {
          type: "rate_limit",
          status: "allowed_warning",
          resets_at: "1970-01-01T00:00:01.000Z",
          utilization: 0.8,
        },
      ],
    ],
    ["command_lifecycle", [{ type: "message_state", id: "M1", state: "queued" }]],
    ["user", [{ type: "tool_result", request_id: "c1", output: "ok", is_error: false }]],
    // `init` names the new session; this one names something that no file is called after.
    ["conversation_reset", [{ type: "conversation_reset", cause: "clear" }]],
    ["tool_use_summary", [{ type: "tool_summary", request_ids: ["c1"], text: "read files" }]],
    [
      "system/task_updated",
      [{ type: "background_task_changed", task_id: "t1", status: "running" }],
    ],
    [
      "system/background_tasks_changed",
      [
        {
          type: "background_tasks",
          tasks: [{ task_id: "t1", kind: "local_agent", description: "look", agent: "Explore" }],
        },
      ],
    ],
    ["system/session_title_changed", [{ type: "title_changed", title: "A title" }]],
    [
      "system/mirror_error",
      [
        {
          type: "notice",
          code: "transcript_not_saved",
          message: "Claude Code could not copy its transcript: no",
        },
      ],
    ],
    ["auth_status", [{ type: "auth_status", authenticating: true, output: ["Open the page"] }]],
    ["prompt_suggestion", [{ type: "prompt_suggestion", text: "And now?" }]],
  ])("%s", (name, events) => {
    expect(normalised(sampleOf(name))).toEqual(events);
  });

  it("reports that signing in has failed", () => {
    const message = "Claude Code could not sign in: expired";
    const events = normalised({ ...sampleOf("auth_status"), error: "expired" });
    const notice = { type: "notice", code: "cli_message", level: "warning", message };
    expect(events.at(-1)).toEqual(notice);
  });

  it("reports which sub-agent made a refused call", () => {
    const denied = { ...sampleOf("system/permission_denied"), agent_id: "t1" };
    expect(normalised(denied)).toMatchObject([
      { type: "tool_denied", request_id: "c1", agent_id: "t1" },
    ]);
  });

  it("reports a retry of a sub-agent's model, by the sub-agent's call", () => {
    const subagent_retry = {
      agent_id: "t1",
      attempt: 2,
      max_retries: 4,
      retry_delay_ms: 1000.2,
      error_status: 529,
      error_category: "overloaded",
    };
    const progress = { ...sampleOf("tool_progress"), tool_use_id: "agent_A", subagent_retry };
    const retry = { type: "retry", attempt: 2, max: 4, delay_ms: 1000, status: 529 };
    expect(normalised({ ...progress, parent_tool_use_id: "c1" })).toEqual([
      { ...retry, code: "overloaded", parent: "c1" },
    ]);
  });

  it("reports a sign of life of a long call under the id of the call", () => {
    const beat = { tool_use_id: "c1-heartbeat-0", parent_tool_use_id: "c1" };
    const { type, tool, elapsed_ms } = { type: "tool_progress", tool: "Bash", elapsed_ms: 2500 };
    expect(normalised({ ...sampleOf("tool_progress"), ...beat })).toEqual([
      { type, request_id: "c1", tool, elapsed_ms },
    ]);
  });

  it("reports only what has changed about a task", () => {
    const patch = { description: "d", is_backgrounded: true, error: "e", end_time: 1 };
    expect(normalised({ ...sampleOf("system/task_updated"), patch })).toEqual([
      {
        type: "background_task_changed",
        task_id: "t1",
        description: "d",
        background: true,
        error: "e",
      },
    ]);
  });

  it("has a sample of every kind that the SDK's types know", () => {
    expect(Object.keys(sdkKinds).filter((kind) => !everyKind.map(kindOf).includes(kind))).toEqual(
      [],
    );
  });

  it.each(everyKind.map((kind) => [kindOf(kind), kind]))("has an event for %s", (_kind, sample) => {
    expect(normalised(sample).filter(({ type }) => type === "debug")).toEqual([]);
  });

  it("ignores an unknown status", () => {
    const status = { type: "system", subtype: "status", status: "dreaming" };
    expect(normalised(status)).toEqual([
      { type: "debug", sdk_type: "system/status", message: status },
    ]);
  });

  it.each<[unknown, string]>([
    [{ type: "brand_new", anything: [1] }, "brand_new"],
    [{ type: "system", subtype: "brand_new" }, "system/brand_new"],
    [{ type: "system" }, "system"],
    [{}, ""],
    [{ type: 7 }, ""],
  ])("passes %j, which is unknown, on as a debug event", (message, sdk_type) => {
    expect(normalised(message)).toEqual([{ type: "debug", sdk_type, message }]);
  });
});

import { describe, expect, it } from "vitest";
import {
  asMessage,
  assistant,
  everyKind,
  init,
  kindOf,
  lifecycle,
  result,
  sampleOf,
  sdkKinds,
  textBlock,
  toolUse,
  user,
} from "../../../test/support/sdk-messages.ts";
import type { EngineEvent } from "../events.ts";
import { Normaliser } from "./normaliser.ts";

function told(...samples: unknown[]): EngineEvent[] {
  const events: EngineEvent[] = [];
  const normaliser = new Normaliser((event) => events.push(event));
  for (const sample of samples) normaliser.take(asMessage(sample));
  return events;
}

const tellsItself = (name: string): [string, EngineEvent[]] => [
  name,
  [{ type: "debug", sdk_type: name, message: sampleOf(name) as never }],
];

describe("each kind of message by itself", () => {
  it.each<[string, EngineEvent[]]>([
    ["system/compact_boundary", [{ type: "compacted", trigger: "auto", pre_tokens: 9 }]],
    [
      "system/api_retry",
      [{ type: "retry", attempt: 1, max: 10, delay_ms: 510, status: 529, code: "overloaded" }],
    ],
    ["system/status", [{ type: "mode_changed", mode: "plan" }]],
    ["system/model_fallback", [{ type: "model_changed", model: "haiku" }]],
    ["system/model_refusal_fallback", [{ type: "model_changed", model: "sonnet" }]],
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
    ["system/notification", [{ type: "notice", code: "cli_message", message: "Look here" }]],
    ["system/informational", [{ type: "notice", code: "cli_message", message: "By the way" }]],
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
      [{ type: "rate_limit", status: "allowed_warning", resets_at: "1970-01-01T00:00:01.000Z" }],
    ],
    ["command_lifecycle", [{ type: "message_state", id: "M1", state: "queued" }]],
    ["user", [{ type: "tool_result", request_id: "c1", output: "ok", is_error: false }]],
    // `init` names the new session; this one names something that no file is called after.
    tellsItself("conversation_reset"),
    tellsItself("system/control_request_progress"),
    tellsItself("system/plugin_install"),
    tellsItself("system/worker_shutting_down"),
    tellsItself("system/files_persisted"),
    tellsItself("system/memory_recall"),
    tellsItself("system/elicitation_complete"),
    tellsItself("tool_use_summary"),
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
    expect(told(sampleOf(name))).toEqual(events);
  });

  it.each<[string, object, string]>([
    [
      "system/plugin_install",
      { status: "failed", name: "p", error: "no net" },
      "The plugin p could not be installed: no net",
    ],
    [
      "system/plugin_install",
      { status: "failed" },
      "A plugin could not be installed: Claude Code does not say why",
    ],
    ["auth_status", { error: "expired" }, "Claude Code could not sign in: expired"],
  ])("%s that failed is a notice", (name, fields, message) => {
    const events = told({ ...sampleOf(name), ...fields });
    expect(events.at(-1)).toEqual({ type: "notice", code: "cli_message", message });
  });

  it("tells what is new about a task, and no more", () => {
    const patch = { description: "d", is_backgrounded: true, error: "e", end_time: 1 };
    expect(told({ ...sampleOf("system/task_updated"), patch })).toEqual([
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

  it("reads every kind that is known without a problem", () => {
    for (const kind of everyKind) {
      expect(told(kind).filter((event) => "problem" in event)).toEqual([]);
    }
  });

  it.each<[unknown, string]>([
    [{ type: "brand_new", anything: [1] }, "brand_new"],
    [{ type: "system", subtype: "brand_new" }, "system/brand_new"],
    [{ type: "system" }, "system"],
    [{}, ""],
    [{ type: 7 }, ""],
  ])("%j, which nobody knows, is told as it is", (message, sdk_type) => {
    expect(told(message)).toEqual([{ type: "debug", sdk_type, message }]);
  });
});

describe("the course of a conversation", () => {
  it("tells what is new in each init, and that a turn begins", () => {
    const servers = [{ name: "team", status: "connected" }];
    const events = told(
      init(),
      init(),
      init({ model: "haiku", permissionMode: "plan", session_id: "ignored" }),
      { ...init({ mcp_servers: [{ ...servers[0], source: "sdk" }] }), session_id: "S2" },
    );
    expect(events).toEqual([
      {
        type: "ready",
        session_id: "S1",
        model: "opus",
        mode: "default",
        cli_version: "2.1.325",
        tools: ["Bash", "Read"],
        slash_commands: ["clear"],
        capabilities: ["interrupt_receipt_v1"],
      },
      { type: "turn_started", messages: [] },
      { type: "turn_started", messages: [] },
      { type: "model_changed", model: "haiku" },
      { type: "mode_changed", mode: "plan" },
      { type: "turn_started", messages: [] },
      { type: "session_changed", session_id: "S2", previous: "S1" },
      { type: "model_changed", model: "opus" },
      { type: "mode_changed", mode: "default" },
      { type: "mcp_status", servers },
      { type: "turn_started", messages: [] },
    ]);
  });

  it("takes a first init under another id than the one asked for as a change of session", () => {
    const events: EngineEvent[] = [];
    const normaliser = new Normaliser((event) => events.push(event), "S0");
    for (const sample of [init(), init()]) normaliser.take(asMessage(sample));
    expect(events.map(({ type }) => type)).toEqual([
      "ready",
      "session_changed",
      "turn_started",
      "turn_started",
    ]);
    expect(events[1]).toEqual({ type: "session_changed", session_id: "S1", previous: "S0" });
  });

  it("names the messages that a turn begins with, and not those that joined the one before", () => {
    const events = told(
      lifecycle("queued", "M1"),
      lifecycle("started", "M1"),
      init(),
      lifecycle("queued", "M2"),
      lifecycle("started", "M2"),
      result({ user_message_uuids: ["M1", "M2"] }),
      lifecycle("completed", "M2"),
      lifecycle("queued", "M3"),
      lifecycle("queued", "M4"),
      lifecycle("started", "M3"),
      lifecycle("started", "M4"),
      init(),
    );
    const turns = events.filter((event) => event.type === "turn_started");
    expect(turns.map(({ messages }) => messages)).toEqual([["M1"], ["M3", "M4"]]);
  });

  it("does not take words that the CLI gave itself for a pushed message", () => {
    const own = lifecycle("started", "X");
    const [debug, ready, turn] = told(own, init());
    expect(debug).toEqual({ type: "debug", sdk_type: "command_lifecycle", message: own });
    expect(ready).toMatchObject({ type: "ready" });
    expect(turn).toEqual({ type: "turn_started", messages: [] });
  });

  it("leaves the session's model as it is when only a sub-agent fell back", () => {
    const local = { ...sampleOf("system/model_refusal_fallback"), scope: "local" };
    expect(told(local)).toEqual([]);
  });

  it("tells compaction from its beginning", () => {
    const begun = { type: "system", subtype: "status", status: "compacting" };
    const over = { ...begun, status: null, compact_result: "success" };
    expect(told(begun, begun, over)).toEqual([{ type: "compacting" }]);
    const again = told(begun, over, begun, result(), begun);
    expect(again.filter(({ type }) => type === "compacting")).toHaveLength(3);
  });

  it.each(["Error during compaction: API Error: 400", undefined])(
    "tells that a compaction failed: %s",
    (compact_error) => {
      const status = { type: "system", subtype: "status", status: null };
      expect(told({ ...status, compact_result: "failed", compact_error })).toEqual([
        {
          type: "notice",
          code: "compaction_failed",
          message: compact_error ?? "The conversation could not be summed up.",
          hint: expect.stringContaining("/compact"),
        },
      ]);
    },
  );

  it("tells nothing of a compaction in a status that is about another thing", () => {
    expect(told({ type: "system", subtype: "status", status: null })).toEqual([]);
  });

  it("marks what a sub-agent did", () => {
    const from = { parent_tool_use_id: "agent" };
    const events = told(
      assistant("S", [textBlock("I look."), { type: "thinking", thinking: "Hm" }], from),
      assistant("S", [toolUse("c1")], from),
      user([{ type: "tool_result", tool_use_id: "c1", is_error: true }], from),
      { ...sampleOf("tool_progress"), ...from },
    );
    expect(events.map(({ type }) => type)).toEqual([
      "text_delta",
      "thinking_delta",
      "tool_use",
      "tool_result",
      "tool_progress",
    ]);
    for (const event of events) expect(event).toHaveProperty("parent", "agent");
  });

  it("tells the results of tools, and nothing else that stands in the user's place", () => {
    const block = { type: "tool_result", tool_use_id: "c1", content: [textBlock("ok")] };
    const failed = { type: "tool_result", tool_use_id: "c2", content: "no", is_error: true };
    expect(
      told(
        user("text"),
        user([textBlock("text"), block], { tool_use_result: { stdout: "ok" } }),
        user([failed]),
      ),
    ).toEqual([
      {
        type: "tool_result",
        request_id: "c1",
        output: [textBlock("ok")],
        is_error: false,
        detail: { stdout: "ok" },
      },
      { type: "tool_result", request_id: "c2", output: "no", is_error: true },
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { normalised } from "../../../test/support/normalised.ts";
import {
  asMessage,
  assistant,
  init,
  lifecycle,
  result,
  sampleOf,
  textBlock,
  toolUse,
  user,
} from "../../../test/support/sdk-messages.ts";
import type { EngineEvent } from "../events.ts";
import { Normaliser } from "./normaliser.ts";

describe("the course of a conversation", () => {
  it("reports what is new in each init, and the beginning of a turn", () => {
    const servers = [{ name: "team", status: "connected" }];
    const events = normalised(
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

  it("reports a first init under another id as a change of session", () => {
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

  it("learns the id of an unnamed session from its last message", () => {
    const reset = { ...sampleOf("conversation_reset"), session_id: "S0" };
    expect(normalised(reset, init())).toContainEqual({
      type: "session_changed",
      session_id: "S1",
      previous: "S0",
    });
  });

  it("names the messages that a turn begins with, and not those that joined the one before", () => {
    const events = normalised(
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

  it("does not take the CLI's own message for a pushed one", () => {
    const own = lifecycle("started", "X");
    const [debug, ready, turn] = normalised(own, init());
    expect(debug).toEqual({ type: "debug", sdk_type: "command_lifecycle", message: own });
    expect(ready).toMatchObject({ type: "ready" });
    expect(turn).toEqual({ type: "turn_started", messages: [] });
  });

  it("keeps the session's model when only a sub-agent fell back", () => {
    const local = { ...sampleOf("system/model_refusal_fallback"), scope: "local" };
    expect(normalised(local)).toMatchObject([{ code: "model_fallback", data: { scope: "local" } }]);
  });

  it("reports a compaction from its beginning", () => {
    const begun = { type: "system", subtype: "status", status: "compacting" };
    const over = { ...begun, status: null, compact_result: "success" };
    expect(normalised(begun, begun, over)).toEqual([{ type: "compacting" }]);
    const again = normalised(begun, over, begun, result(), begun);
    expect(again.filter(({ type }) => type === "compacting")).toHaveLength(3);
  });

  it.each(["Error during compaction: API Error: 400", undefined])(
    "reports a failed compaction: %s",
    (compact_error) => {
      const status = { type: "system", subtype: "status", status: null };
      expect(normalised({ ...status, compact_result: "failed", compact_error })).toEqual([
        {
          type: "notice",
          code: "compaction_failed",
          message: compact_error ?? "The conversation could not be compacted.",
          hint: expect.stringContaining("/compact"),
        },
      ]);
    },
  );

  it("reports no compaction for a status about something else", () => {
    expect(normalised({ type: "system", subtype: "status", status: null })).toEqual([]);
  });

  it("marks what a sub-agent did", () => {
    const from = { parent_tool_use_id: "agent" };
    const events = normalised(
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

  it("reports tool results, and nothing else of `user` messages", () => {
    const block = { type: "tool_result", tool_use_id: "c1", content: [textBlock("ok")] };
    const failed = { type: "tool_result", tool_use_id: "c2", content: "no", is_error: true };
    expect(
      normalised(
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

import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { parseSessionMessage, SessionAnswerSchema } from "./answers.ts";
import type { SessionMessage } from "./answers.ts";
import type { SessionEvent, SessionEventOf } from "./events.ts";
import { parseEvent, SessionEventSchema } from "./events.ts";
import { NoticeCodeSchema } from "./notices.ts";

// Literals: clients rely on them. A new name is added here and in the protocol's page.
test("the events of version 1", () => {
  const types = SessionEventSchema.options.map((option) => option.shape.type.value);
  expect(types.toSorted()).toEqual([
    "approval_request",
    "approval_resolved",
    "background_tasks",
    "closing",
    "compacted",
    "compacting",
    "continuation_canceled",
    "continuation_planned",
    "done",
    "earlier",
    "elicitation",
    "error",
    "grant_revoked",
    "grants",
    "mcp_servers_set",
    "mcp_status",
    "message_dropped",
    "message_seen",
    "mode_changed",
    "model_changed",
    "notice",
    "plan",
    "question",
    "request_held",
    "retracted",
    "retry",
    "session_changed",
    "snapshot_begin",
    "snapshot_end",
    "status",
    "subagent_ended",
    "subagent_started",
    "text_delta",
    "thinking_delta",
    "title_changed",
    "todo",
    "tool_input_delta",
    "tool_output_delta",
    "tool_progress",
    "tool_result",
    "tool_use",
    "tools_offered",
    "tools_withdrawn",
    "turn_started",
    "usage",
    "user_message",
  ]);
});

test("the answers of version 1", () => {
  expect(SessionAnswerSchema.options.map((option) => option.shape.type.value)).toEqual([
    "init",
    "attached",
    "status",
    "history",
    "found",
    "blob",
    "pong",
    "clients",
    "choices",
    "completions",
    "tool_call",
    "tool_cancel",
    "ok",
    "error",
  ]);
});

function valuesOf(type: SessionEvent["type"], field: string): string[] {
  const option = SessionEventSchema.options.find(({ shape }) => shape.type.value === type);
  return z.enum(Reflect.get(option?.shape ?? {}, field).enum).options;
}

test("the closed lists of version 1", () => {
  expect(valuesOf("approval_resolved", "outcome")).toEqual([
    "allowed",
    "denied",
    "timed_out",
    "superseded",
    "aborted",
  ]);
  expect(valuesOf("done", "stop_reason")).toEqual([
    "completed",
    "aborted",
    "interrupted",
    "denied",
    "refused",
    "max_turns",
    "max_output_tokens",
    "prompt_too_long",
    "budget_exhausted",
    "failed",
    "cli_lost",
    "host_lost",
  ]);
  expect(valuesOf("status", "state")).toEqual(["idle", "running", "waiting"]);
  expect(valuesOf("turn_started", "cause")).toEqual(["message", "background", "resume"]);
  expect(valuesOf("message_dropped", "reason")).toEqual(["aborted", "dropped", "failed"]);
  expect(valuesOf("closing", "reason")).toEqual(["signal", "shutdown", "linger", "failed"]);
  expect(NoticeCodeSchema.options).toEqual([
    "untrusted_project",
    "foreign_writer",
    "cli_restarted",
    "host_restarted",
    "conversation_lost",
    "transcript_mended",
    "cli_untested",
    "recovery_untested",
    "stalled_stream",
    "rate_limit",
    "model_fallback",
    "mcp_server_failed",
    "log_repaired",
    "log_write_failed",
    "transcript_not_saved",
    "compaction_failed",
    "rehearsal",
    "cli_message",
  ]);
});

test("every event carries seq, all but deltas carry at, and no answer carries seq", () => {
  expect(SessionEventSchema.options.length).toBeGreaterThan(10);
  for (const { shape } of SessionEventSchema.options) {
    expect(Object.keys(shape)).toEqual(expect.arrayContaining(["seq", "turn_id"]));
    expect(shape.seq.safeParse(undefined).success).toBe(false);
    const isDelta = shape.type.value.endsWith("_delta");
    expect("at" in shape ? shape.at.safeParse(undefined).success : "absent").toBe(
      isDelta ? "absent" : false,
    );
  }
  for (const { shape } of SessionAnswerSchema.options) {
    expect(shape.seq.safeParse(1).success).toBe(false);
  }
});

test("every message says in a sentence what it means", () => {
  const messages = [...SessionEventSchema.options, ...SessionAnswerSchema.options];
  const wrong = messages.filter(({ description = "" }) => !/^[A-Z].*\.$/s.test(description));
  expect(wrong.map(({ shape }) => shape.type.value)).toEqual([]);
});

test("seq tells an event from an answer of the same type", () => {
  const seq = 1;
  const at = "2026-11-15T22:41:00.000Z";
  const state = parseSessionMessage({ type: "status", seq, at, state: "idle" });
  expect(state).toEqual({ ok: true, value: { type: "status", seq, at, state: "idle" } });
  const answer = parseSessionMessage({ type: "status", state: "idle" });
  expect(!answer.ok && answer.error.message).toMatch(/^status\.session_id: /);
  const failure = { type: "error", code: "internal", message: "x", retryable: false, hint: "y" };
  expect(parseSessionMessage(failure)).toEqual({ ok: true, value: failure });
  expect(parseSessionMessage({ ...failure, seq, at })).toEqual({
    ok: true,
    value: { ...failure, seq, at },
  });
  expect(parseEvent(failure).ok).toBe(false);
});

test("types are inferred from the schemas", () => {
  expectTypeOf<SessionEventOf<"done">["turn_id"]>().toEqualTypeOf<string>();
  expectTypeOf<SessionEventOf<"text_delta">["turn_id"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<SessionEventOf<"tool_result">["output"]>().toEqualTypeOf<
    string | { blob: string; bytes: number; preview: string }
  >();
  expectTypeOf<Extract<SessionMessage, { seq: number }>>().toEqualTypeOf<SessionEvent>();
});

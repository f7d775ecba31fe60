import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session/events.ts";
import { eventRows } from "./event-rows.ts";
import { noPaint } from "./terminal-formats.ts";

const rowsOf = (fields: object): string[] =>
  eventRows({ seq: 1, at: "", ...fields } as SessionEvent, noPaint, 60);

test("the row of a turn's end shows what is known of it", () => {
  const done = { type: "done", messages: [], duration_ms: 1_500, cost_usd: 0.05 };
  const usage = { input_tokens: 2, cache_read_input_tokens: 10, output_tokens: 3 };
  expect(rowsOf({ ...done, usage, stop_reason: "completed" })).toEqual([
    "  1.5 s · 12 in, 3 out · $0.0500",
  ]);
  const rehearsed = { seq: 1, at: "", ...done, usage, stop_reason: "completed" } as SessionEvent;
  expect(eventRows(rehearsed, noPaint, 80, true)).toEqual([
    "  1.5 s · 12 in, 3 out · $0.0500 (rehearsed: nothing was paid)",
  ]);
  const nothing = { cost_usd: 0, usage: { input_tokens: 0, output_tokens: 0 } };
  expect(rowsOf({ ...done, ...nothing, stop_reason: "host_lost" })).toEqual([
    "  host lost · 1.5 s",
  ]);
});

test.each([
  [{ outcome: "allowed", by: "ann", scope: "once" }, "✓ allowed by ann"],
  [{ outcome: "allowed", by: "ann", scope: "session" }, "✓ allowed (session) by ann"],
  [{ outcome: "allowed", answers: { a: "Red", b: ["x", "y"] } }, "✓ Red; x,y"],
  [{ outcome: "denied", by: "ann", reason: "User denied" }, "✗ denied by ann"],
  [{ outcome: "denied", reason: "too\nwild" }, "✗ denied: too wild"],
  [{ outcome: "timed_out" }, "✗ denied: not answered in time"],
  [{ outcome: "superseded" }, "↻ will be asked again"],
  [{ outcome: "aborted" }, "✗ not answered: the turn has ended"],
])("%j is shown as a decision", (fields, row) => {
  expect(rowsOf({ type: "approval_resolved", request_id: "r", ...fields })).toEqual([`  ${row}`]);
});

test("a sub-agent without a description begins, and no more is said", () => {
  const begun = { type: "subagent_started", request_id: "r", task_id: "t" };
  expect(rowsOf(begun)).toEqual(["  A sub-agent begins."]);
  expect(rowsOf({ ...begun, description: "Reads the logs" })).toEqual([
    "  A sub-agent begins: Reads the logs.",
  ]);
});

test("an informational notice is not shown as a warning", () => {
  const notice = { type: "notice", code: "cli_notice", message: "Two memories were read." };
  expect(rowsOf({ ...notice, level: "info" })).toEqual(["  Two memories were read."]);
  expect(rowsOf(notice)).toEqual(["! Two memories were read."]);
});

test("a notice shows its hint, unless it asks: the prompt then says how to answer", () => {
  const notice = {
    type: "notice",
    code: "foreign_writer",
    message: "Somebody.",
    hint: "Approve it.",
  };
  expect(rowsOf(notice)).toEqual(["! Somebody.", "  Approve it."]);
  expect(rowsOf({ ...notice, request_id: "foreign_1" })).toEqual(["! Somebody."]);
});

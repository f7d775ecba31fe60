import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session/events.ts";
import { joinDeltas } from "./join-deltas.ts";

const logged = (drafts: readonly object[]): SessionEvent[] =>
  drafts.map((draft, index) => ({ seq: index + 1, ...draft }) as SessionEvent);

const text = { type: "text_delta", turn_id: "t", block: 0, text: "a" };
const input = { type: "tool_input_delta", request_id: "r", tool: "Bash", partial_json: "a" };
const output = { type: "tool_output_delta", request_id: "r", text: "a" };
const result = { type: "tool_result", request_id: "r", output: "", is_error: false };

test.for<[object, object]>([
  [text, { type: "retracted", turn_id: "t", block: 0 }],
  [text, { type: "retry", attempt: 1 }],
  [text, { type: "done", turn_id: "t" }],
  [input, { type: "tool_use", request_id: "r", tool: "Bash", input: {} }],
  [output, result],
  [output, { type: "notice", code: "cli_restarted" }],
  [output, { ...output, ended: true }],
  [output, { ...output, skipped_bytes: 7 }],
])("joinDeltas joins no pieces of %o across %o", ([piece, between]) => {
  const events = logged([piece, between, piece]);
  expect(joinDeltas(events)).toEqual(events);
});

test.for<[object, object]>([
  [text, { ...text, block: 1 }],
  [text, { ...text, parent: "p" }],
  [text, { ...text, type: "thinking_delta" }],
  [text, result],
  [input, { ...input, request_id: "s" }],
  [output, { ...result, request_id: "s" }],
])("joinDeltas joins the pieces of %o around %o", ([piece, between]) => {
  const [first, other] = logged([piece, between]);
  const joined = "partial_json" in piece ? { partial_json: "aa" } : { text: "aa" };
  expect(joinDeltas(logged([piece, between, piece]))).toEqual([{ ...first, ...joined }, other]);
});

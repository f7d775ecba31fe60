import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session-events.ts";
import { compact } from "./compact.ts";

const logged = (drafts: readonly object[]): SessionEvent[] =>
  drafts.map((draft, index) => ({ seq: index + 1, ...draft }) as SessionEvent);

const prints = (text: string, more: object = {}) => ({
  type: "tool_output_delta",
  request_id: "r",
  text,
  ...more,
});
const result = { type: "tool_result", request_id: "r", output: "all", is_error: false };

test("of live output the last words of what still runs are kept, and nothing of what is over", () => {
  expect(compact(logged([prints("one "), prints("two", { skipped_bytes: 9 })]))).toEqual([
    { seq: 1, ...prints("one two") },
  ]);
  const long = prints("x".repeat(20_000));
  expect(compact(logged([long, prints("end")]))).toMatchObject([
    { text: `${"x".repeat(16_381)}end` },
  ]);
  const over = logged([prints("one"), result]);
  expect(compact(over)).toEqual([over[1]]);
  const beyond = [prints("one"), result, prints("two")];
  expect(compact(logged(beyond))).toMatchObject([{ type: "tool_result" }, { text: "two" }]);
  expect(compact(logged([...beyond, prints("", { ended: true })]))).toMatchObject([
    { type: "tool_result" },
  ]);
});

test("a call that was taken back is gone, and one that has run stays", () => {
  const call = { type: "tool_use", request_id: "r", tool: "Bash", input: {} };
  const retracted = { type: "retracted", request_id: "r" };
  expect(compact(logged([call, retracted]))).toEqual([]);
  const ran = logged([call, result, retracted]);
  expect(compact(ran)).toEqual(ran.slice(0, 2));
});

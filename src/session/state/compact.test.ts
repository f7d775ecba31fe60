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

import { expect, test } from "vitest";
import type { SessionEvent } from "../../wire/session/events.ts";
import { snapshotEvents } from "./select-snapshot-events.ts";

const logged = (drafts: readonly object[]): SessionEvent[] =>
  drafts.map((draft, index) => ({ seq: index + 1, ...draft }) as SessionEvent);

const prints = (text: string, more: object = {}) => ({
  type: "tool_output_delta",
  request_id: "r",
  text,
  ...more,
});
const result = { type: "tool_result", request_id: "r", output: "all", is_error: false };

test("snapshotEvents keeps the last live output of running calls, and no output of ended ones", () => {
  expect(snapshotEvents(logged([prints("one "), prints("two", { skipped_bytes: 9 })]))).toEqual([
    { seq: 1, ...prints("one two") },
  ]);
  const long = prints("x".repeat(20_000));
  expect(snapshotEvents(logged([long, prints("end")]))).toMatchObject([
    { text: `${"x".repeat(16_381)}end` },
  ]);
  const over = logged([prints("one"), result]);
  expect(snapshotEvents(over)).toEqual([over[1]]);
  const beyond = [prints("one"), result, prints("two")];
  expect(snapshotEvents(logged(beyond))).toMatchObject([{ type: "tool_result" }, { text: "two" }]);
  expect(snapshotEvents(logged([...beyond, prints("", { ended: true })]))).toMatchObject([
    { type: "tool_result" },
  ]);
});

test("snapshotEvents removes a retracted call, and keeps one that has run", () => {
  const call = { type: "tool_use", request_id: "r", tool: "Bash", input: {} };
  const retracted = { type: "retracted", request_id: "r" };
  expect(snapshotEvents(logged([call, retracted]))).toEqual([]);
  const ran = logged([call, result, retracted]);
  expect(snapshotEvents(ran)).toEqual(ran.slice(0, 2));
});

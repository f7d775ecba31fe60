import type { Conversation, SessionItem } from "agent-switchboard/client/core";
import { emptyConversation, fold } from "agent-switchboard/client/core";
import { expect, test } from "vitest";
import { firstSentence, newsBetween } from "./spoken-news.ts";

const at = "2026-11-18T10:00:00.000Z";
const base: Conversation = { ...emptyConversation, seq: 1 };
const add = (talk: Conversation, ...events: readonly Record<string, unknown>[]): Conversation =>
  fold(
    talk,
    events.map(
      (event, index) =>
        ({ seq: talk.seq + 1 + index, at, turn_id: "t", ...event }) as unknown as SessionItem,
    ),
  );

const started = add(base, { type: "turn_started", messages: [], cause: "message" });
const done = {
  type: "done",
  messages: [],
  usage: { input_tokens: 1, output_tokens: 1 },
  cost_usd: 0,
  duration_ms: 1,
  stop_reason: "completed",
};

test("`newsBetween` tells that an answer begins, and with what sentence it has ended", () => {
  expect(newsBetween(base, started)).toEqual({ kind: "begun" });
  const said = add(started, {
    type: "text_delta",
    block: 0,
    text: "It is **done**. More follows.",
  });
  expect(newsBetween(started, said)).toBeUndefined();
  expect(newsBetween(said, add(said, done))).toEqual({ kind: "done", words: "It is **done**." });
});

test("`newsBetween` tells once that a call has failed", () => {
  const failed = add(
    started,
    { type: "tool_use", request_id: "a", tool: "Bash", input: {} },
    { type: "tool_result", request_id: "a", output: "", is_error: true },
  );
  expect(newsBetween(started, failed)).toEqual({ kind: "failed", tool: "Bash" });
  const later = add(failed, { type: "text_delta", block: 1, text: "x" });
  expect(newsBetween(failed, later)).toBeUndefined();
});

test("`newsBetween` is silent about what was only read from the log", () => {
  expect(newsBetween(emptyConversation, started)).toBeUndefined();
});

test.each([
  ["Version 2.5 is out. It works.", "Version 2.5 is out."],
  ["終わりました。次に進みます。", "終わりました。"],
  ["no stop\nsecond line", "no stop"],
])("`firstSentence` of %j is %j", (text, sentence) => {
  expect(firstSentence(text)).toBe(sentence);
});

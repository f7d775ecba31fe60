import type { SessionItem } from "agent-switchboard/client/core";
import { emptyConversation, fold } from "agent-switchboard/client/core";
import { expect, test } from "vitest";
import { findPlace } from "../transcript/go-to.ts";
import { findLoaded } from "./find-loaded.ts";

const at = "2026-11-18T10:00:00.000Z";
const talk = fold(
  emptyConversation,
  [
    { type: "user_message", id: "m", text: "Find the needle" },
    { type: "turn_started", turn_id: "t", messages: ["m"], cause: "message" },
    { type: "thinking_delta", turn_id: "t", block: 0, text: "A NEEDLE in a thought" },
    { type: "tool_use", turn_id: "t", request_id: "a", tool: "Agent", input: {} },
    {
      type: "tool_use",
      turn_id: "t",
      request_id: "b",
      parent: "a",
      tool: "Bash",
      input: { command: "ls needle" },
    },
    {
      type: "tool_result",
      turn_id: "t",
      request_id: "b",
      parent: "a",
      output: "hay",
      is_error: false,
    },
    { type: "text_delta", turn_id: "t", block: 1, text: "nothing" },
  ].map((event, index) => ({ seq: index + 1, at, ...event }) as unknown as SessionItem),
);

test("`findLoaded` finds a text in messages, thoughts, and calls of sub-agents, newest first", () => {
  const hits = findLoaded([talk], "needle", 10);
  expect(hits.map(({ requestId, messageId }) => requestId ?? messageId)).toEqual([
    "b",
    undefined,
    "m",
  ]);
});

test("`findPlace` leads each hit to the row that has it", () => {
  const rows = findLoaded([talk], "needle", 10).map((hit) => findPlace(talk, hit)?.row);
  expect(rows).toEqual(["call/b", expect.stringContaining("thinking"), "message/m"]);
});

test("`findPlace` finds nothing in another conversation", () => {
  const place = { seq: 99, turnId: "other", text: "needle" };
  expect(findPlace(talk, place)).toBeUndefined();
});

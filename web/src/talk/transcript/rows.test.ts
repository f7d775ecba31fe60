import type { Conversation, SessionItem } from "agent-switchboard/client/core";
import { emptyConversation, fold } from "agent-switchboard/client/core";
import { expect, test } from "vitest";
import { emptyLayout, layOut } from "./rows.ts";

const at = "2026-11-18T10:00:00.000Z";

/** Events without their numbers, which the test does not care for. */
type Told = { readonly type: string } & Record<string, unknown>;

const told = (events: readonly Told[], first = 1): SessionItem[] =>
  events.map((event, index) => ({ seq: first + index, at, ...event }) as unknown as SessionItem);

const usage = { input_tokens: 1, output_tokens: 1 };
const turn = (id: string, ...inside: readonly Told[]): readonly Told[] => [
  { type: "user_message", id: `m-${id}`, text: "hi" },
  { type: "turn_started", turn_id: id, messages: [`m-${id}`], cause: "message" },
  ...inside.map((event) => ({ turn_id: id, ...event })),
  {
    type: "done",
    turn_id: id,
    messages: [`m-${id}`],
    usage,
    cost_usd: 0,
    duration_ms: 1,
    stop_reason: "completed",
  },
];

const talkOf = (...events: readonly Told[]): Conversation => fold(emptyConversation, told(events));

const call = (id: string, more: Record<string, unknown> = {}): Told => ({
  type: "tool_use",
  request_id: id,
  tool: "Bash",
  input: {},
  ...more,
});

test("`layOut` puts what a sub-agent did under the call that started it", () => {
  const talk = talkOf(
    ...turn("t1", call("a"), call("b", { parent: "a" }), call("c", { parent: "b" }), call("d")),
  );
  const [block] = layOut(talk, emptyLayout).blocks;
  const calls = block?.rows.filter(({ item }) => item.kind === "tool") ?? [];
  expect(calls.map(({ key }) => key)).toEqual(["call/a", "call/d"]);
  expect(calls[0]?.children.map(({ key }) => key)).toEqual(["call/b"]);
  expect(calls[0]?.children[0]?.children.map(({ key }) => key)).toEqual(["call/c"]);
});

test("`layOut` shows items of a sub-agent whose call is not there", () => {
  const talk = talkOf(...turn("t1", call("b", { parent: "gone" })));
  expect([...layOut(talk, emptyLayout).rows.keys()]).toContain("call/b");
});

test("`layOut` leaves messages that wait to the composer", () => {
  const talk = talkOf(...turn("t1"), { type: "user_message", id: "waits", text: "later" });
  expect([...layOut(talk, emptyLayout).rows.keys()]).toEqual(["message/m-t1"]);
});

test("`layOut` keeps the identity of everything that one more event did not change", () => {
  const talk = talkOf(...turn("t1", call("a")), ...turn("t2", call("b")));
  const before = layOut(talk, emptyLayout);
  const next = fold(talk, told([{ type: "tool_progress", request_id: "b", turn_id: "t2" }], 100));
  const after = layOut(next, before);
  expect(after.blocks[0]).toBe(before.blocks[0]);
  expect(after.blocks[1]).not.toBe(before.blocks[1]);
  expect(after.rows.get("message/m-t2")).toBe(before.rows.get("message/m-t2"));
  expect(after.rows.get("call/b")).not.toBe(before.rows.get("call/b"));
});

test("`layOut` cuts a long turn into blocks, and marks where it begins and ends", () => {
  const calls = Array.from({ length: 30 }, (_, index) => call(`c${index}`));
  const { blocks } = layOut(talkOf(...turn("t1", ...calls)), emptyLayout);
  expect(blocks.map(({ rows }) => rows.length)).toEqual([12, 12, 7]);
  expect(blocks.map(({ isFirstOfTurn }) => isFirstOfTurn)).toEqual([true, false, false]);
  expect(blocks.map(({ isLastOfTurn }) => isLastOfTurn)).toEqual([false, false, true]);
});

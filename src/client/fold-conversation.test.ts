import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent } from "../wire/session/events.ts";
import type { Conversation, ConversationItem } from "./conversation.ts";
import { emptyConversation } from "./conversation.ts";
import { fold } from "./fold-conversation.ts";

type Draft = { type: SessionEvent["type"]; [field: string]: unknown };

const at = "2026-01-01T00:00:00.000Z";
const usage = { input_tokens: 1, output_tokens: 1 };

/** Gives events their numbers, as a log does. */
const logged = (drafts: readonly Draft[], after = 0): SessionEvent[] =>
  drafts.map(
    (draft, index) => ({ ...draft, seq: after + index + 1, at }) as unknown as SessionEvent,
  );

const message = (id: string): Draft => ({ type: "user_message", id, text: `say ${id}` });
const started = (turn_id: string, messages: string[]): Draft => ({
  type: "turn_started",
  turn_id,
  messages,
  cause: "message",
});
const done = (turn_id: string, messages: string[]): Draft => ({
  type: "done",
  turn_id,
  messages,
  usage,
  cost_usd: 0.25,
  duration_ms: 5,
  stop_reason: "completed",
});
const text = (turn_id: string, block: number, value: string): Draft => ({
  type: "text_delta",
  turn_id,
  block,
  text: value,
});

const prints = (value: string, more: object = {}): Draft => ({
  type: "tool_output_delta",
  request_id: "r",
  text: value,
  ...more,
});

const outline = ({ items }: Conversation): string[] => items.map(lineOf);

function lineOf(item: ConversationItem): string {
  switch (item.kind) {
    case "message":
      return `${item.fate} ${item.message.id}`;
    case "tool":
      return `${item.tool} ${item.decision?.outcome ?? (item.request ? "?" : "-")} ${item.result ? "ended" : "open"}`;
    case "note":
      return item.note.type;
    case "stub":
      return `turn ${item.turnId}`;
    default:
      return `${item.kind} ${item.text}`;
  }
}

const conversation = logged([
  message("a"),
  started("1", ["a"]),
  { type: "thinking_delta", turn_id: "1", block: 0, text: "hm" },
  text("1", 1, "Let me "),
  text("1", 1, "look."),
  { type: "tool_input_delta", turn_id: "1", request_id: "r", tool: "Bash", partial_json: '{"comm' },
  message("b"),
  { type: "tool_use", turn_id: "1", request_id: "r", tool: "Bash", input: { command: "ls" } },
  {
    type: "approval_request",
    turn_id: "1",
    request_id: "r",
    tool: "Bash",
    input: { command: "ls" },
    scopes: [{ scope: "once", label: "Yes" }],
  },
  { type: "status", turn_id: "1", state: "waiting" },
  { type: "approval_resolved", turn_id: "1", request_id: "r", outcome: "allowed", by: "me" },
  { type: "tool_output_delta", turn_id: "1", request_id: "r", text: "file" },
  { type: "tool_result", turn_id: "1", request_id: "r", output: "files", is_error: false },
  text("1", 2, "Wrong"),
  { type: "retracted", turn_id: "1", block: 2 },
  text("1", 2, "Right"),
  done("1", ["a"]),
  started("2", ["b"]),
  {
    type: "question",
    turn_id: "2",
    request_id: "q",
    questions: [{ question: "Which?", options: [], multi: false }],
  },
]);

test("fold builds the conversation that a person sees", () => {
  const view = fold(emptyConversation, conversation);
  expect(outline(view)).toEqual([
    "taken a",
    "thinking hm",
    "text Let me look.",
    "Bash allowed ended",
    "text Right",
    // It waited through the first turn and moved to where it took effect.
    "taken b",
    "AskUserQuestion ? open",
  ]);
  expect(view).toMatchObject({
    openTurn: "2",
    costUsd: 0.25,
    state: "waiting",
    seq: conversation.length,
  });
  expect(view.pending).toMatchObject([{ request_id: "q" }]);
  expect(view.turns.get("1")?.done).toMatchObject({ stop_reason: "completed" });
  expect(view.items[3]).toMatchObject({
    input: { command: "ls" },
    liveOutput: "",
    decision: { by: "me" },
  });
});

test("fold leaves its input unchanged, and shares what did not change", () => {
  const before = fold(emptyConversation, conversation.slice(0, 4));
  const kept = structuredClone(before);
  const after = fold(before, conversation.slice(4, 5));
  expect(before).toEqual(kept);
  expect(after.items[0]).toBe(before.items[0]);
  expect(after.items[2]).not.toBe(before.items[2]);
});

test("fold removes a call that was never made with its cut answer or turn", () => {
  const begun: Draft = {
    type: "tool_input_delta",
    turn_id: "1",
    request_id: "r",
    tool: "Bash",
    partial_json: "{",
  };
  const start = [started("1", []), text("1", 0, "x"), begun];
  const retracted = logged([...start, { type: "retracted", turn_id: "1", block: 0 }]);
  expect(outline(fold(emptyConversation, retracted))).toEqual([]);
  expect(outline(fold(emptyConversation, logged([...start, done("1", [])])))).toEqual(["text x"]);
});

const begunCall = (request_id: string): Draft => ({
  type: "tool_input_delta",
  turn_id: "1",
  request_id,
  tool: "Bash",
  partial_json: "{",
});

test("fold removes a retracted call and keeps the others", () => {
  const view = fold(
    emptyConversation,
    logged([
      started("1", []),
      text("1", 0, "x"),
      begunCall("kept"),
      begunCall("cut"),
      ...["made", "ran"].map((request_id): Draft => ({
        type: "tool_use",
        turn_id: "1",
        request_id,
        tool: "T",
        input: {},
      })),
      { type: "tool_result", turn_id: "1", request_id: "ran", output: "o", is_error: false },
      ...["cut", "made", "ran"].map((request_id): Draft => ({
        type: "retracted",
        turn_id: "1",
        request_id,
      })),
    ]),
  );
  const calls = view.items.filter((item) => item.kind === "tool");
  expect(calls.map(({ requestId }) => requestId)).toEqual(["kept", "ran"]);
  expect(view.items[0]).toMatchObject({ kind: "text", text: "x" });
});

test("fold shows a compaction until it is done, has failed, or its turn has ended", () => {
  const begun: Draft[] = [started("1", []), { type: "compacting", turn_id: "1" }];
  const ends: Draft[] = [
    { type: "compacted", turn_id: "1", pre_tokens: 9, trigger: "manual" },
    { type: "notice", turn_id: "1", code: "compaction_failed", message: "no" },
    done("1", []),
  ];
  expect(fold(emptyConversation, logged(begun)).compacting).toBe(true);
  for (const end of ends) {
    expect(fold(emptyConversation, logged([...begun, end])).compacting).toBe(false);
  }
});

test("fold keeps messages that no turn took", () => {
  const view = fold(
    emptyConversation,
    logged([
      { ...message("quiet"), quiet: true },
      { type: "message_seen", id: "quiet" },
      message("gone"),
      { type: "message_dropped", id: "gone", reason: "aborted" },
      message("joined"),
      message("late"),
      started("1", []),
      text("1", 0, "x"),
      { type: "message_seen", turn_id: "1", id: "joined" },
      done("1", ["joined", "late"]),
      message("waits"),
    ]),
  );
  expect(outline(view)).toEqual([
    "seen quiet",
    "dropped gone",
    "taken late",
    "text x",
    "taken joined",
    "queued waits",
  ]);
});

test("fold keeps the newest output of a command until its result, also of one in the background", () => {
  const use: Draft = { type: "tool_use", turn_id: "1", request_id: "r", tool: "Bash", input: {} };
  const result: Draft = { type: "tool_result", request_id: "r", output: "", is_error: false };
  const callOf = (...drafts: Draft[]) =>
    fold(emptyConversation, logged([started("1", []), use, ...drafts])).items.find(
      ({ kind }) => kind === "tool",
    );
  expect(callOf(prints("one "), prints("two"))).toMatchObject({ liveOutput: "one two" });
  expect(callOf(prints("x".repeat(70_000)), prints("end"))).toMatchObject({
    liveOutput: `${"x".repeat(65_533)}end`,
  });
  expect(callOf(prints("one"), result)).toMatchObject({ liveOutput: "" });
  const runsOn = [prints("one"), result, prints("two")];
  expect(callOf(...runsOn)).toMatchObject({ liveOutput: "two", runsOn: true });
  expect(callOf(...runsOn, prints("!", { ended: true }))).toMatchObject({
    liveOutput: "two!",
    runsOn: false,
  });
  const restarted: Draft = { type: "notice", code: "cli_restarted", message: "gone" };
  expect(callOf(...runsOn, restarted)).toMatchObject({ liveOutput: "two", runsOn: false });
});

test("fold assigns a message that is seen just before or after the start of its turn to that turn", () => {
  const seen: Draft = { type: "message_seen", id: "a" };
  for (const order of [
    [started("1", ["a"]), seen],
    [seen, started("1", ["a"])],
  ]) {
    const { items } = fold(emptyConversation, logged([message("a"), ...order]));
    expect(items).toMatchObject([{ fate: "taken", turnId: "1" }]);
  }
});

test("fold keeps a notice that asks, and its answer", () => {
  const notice: Draft = { type: "notice", code: "foreign_writer", message: "!", request_id: "n" };
  const answered: Draft = { type: "approval_resolved", request_id: "n", outcome: "allowed" };
  const view = fold(emptyConversation, logged([notice, answered]));
  expect(view.items).toMatchObject([{ kind: "note", decision: { outcome: "allowed" } }]);
  expect(view.pending).toEqual([]);
  expect(fold(emptyConversation, logged([notice])).pending).toMatchObject([notice]);
});

test("fold keeps what a snapshot leaves out when it followed all along", () => {
  const events = logged([text("1", 0, "long ago"), ...snapshotOf([message("a")]), message("b")]);
  expect(outline(fold(emptyConversation, events))).toEqual(["text long ago", "queued b"]);
  expect(outline(fold(emptyConversation, events.slice(1)))).toEqual(["queued a", "queued b"]);
});

const turnId = fc.constantFrom("1", "2");
const requestId = fc.constantFrom("r", "q", "s");
const draftOf = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(turnId, fc.nat(2), fc.string())
      .map(([turn, block, value]) => text(turn, block, value)),
  },
  fc.constantFrom("a", "b", "c").map(message),
  turnId.map((id) => started(id, ["a"])),
  turnId.map((id) => done(id, ["b"])),
  requestId.map((id): Draft => ({ type: "tool_use", request_id: id, tool: "T", input: { id } })),
  requestId.map((id): Draft => ({ type: "plan", request_id: id, plan: "p" })),
  requestId.map((id): Draft => ({ type: "approval_resolved", request_id: id, outcome: "denied" })),
  requestId.map((id): Draft => ({
    type: "tool_result",
    request_id: id,
    output: "o",
    is_error: false,
  })),
  fc
    .tuple(turnId, fc.nat(2))
    .map(([turn_id, block]): Draft => ({ type: "retracted", turn_id, block })),
  fc.constant<Draft>({ type: "message_seen", id: "c" }),
);

/** A snapshot that leaves nothing out: all that happened, once more. */
const snapshotOf = (drafts: readonly Draft[]): Draft[] => [
  { type: "snapshot_begin", upto: drafts.length },
  ...drafts,
  { type: "snapshot_end", upto: drafts.length },
];

/** Numbers differ where a snapshot repeats events; everything that a person sees must not. */
const seen = (view: Conversation): unknown =>
  JSON.parse(
    JSON.stringify({ ...view, turns: [...view.turns] }, (key, value: unknown) =>
      key === "seq" ? 0 : value,
    ),
  );

test("fold gives the same view in pieces, twice, with a snapshot in the middle or from the snapshot on", () => {
  fc.assert(
    fc.property(
      fc.array(draftOf, { maxLength: 40 }),
      fc.array(draftOf, { maxLength: 20 }),
      fc.nat(60),
      (first, second, cut) => {
        const whole = fold(emptyConversation, logged([...first, ...second]));
        const events = logged([...first, ...snapshotOf(first), ...second]);
        const start = first.length;

        const followed = fold(fold(emptyConversation, events.slice(0, cut)), events);
        expect(seen(followed)).toEqual(seen(whole));
        const late = fold(emptyConversation, events.slice(start));
        expect(seen(late)).toEqual(seen(whole));
        const reset = fold(followed, [
          { type: "reset", logId: "l", epoch: 2 },
          ...events.slice(start),
        ]);
        expect(seen(reset)).toEqual(seen(late));
      },
    ),
    { numRuns: 300 },
  );
});

const changes = (removed: number) => [{ path: "/f", kind: "edit", added: 0, removed, hunks: [] }];

test("[SES-71] fold shows on a call what it would change, and after its result what it has changed", () => {
  const call = { request_id: "r", turn_id: "t", tool: "Edit", input: {} };
  const asked = { type: "approval_request", ...call, scopes: [], changes: changes(1) } as const;
  const shown = (...drafts: Draft[]) => {
    const [item] = fold(
      emptyConversation,
      logged([{ type: "tool_use", ...call }, ...drafts]),
    ).items;
    return item?.kind === "tool" ? item.changes : "no call";
  };
  expect(shown()).toBeUndefined();
  expect(shown(asked)).toEqual(changes(1));
  const result = { type: "tool_result", request_id: "r", output: "", is_error: false } as const;
  expect(shown(asked, { ...result, changes: changes(2) })).toEqual(changes(2));
  // It was denied, or has failed.
  expect(shown(asked, { ...result, is_error: true })).toBeUndefined();
});

test("fold gives each item a key of its own, which it keeps", () => {
  fc.assert(
    fc.property(
      fc.array(draftOf, { maxLength: 40 }),
      fc.nat(30),
      fc.nat(10),
      (drafts, cut, more) => {
        const events = logged(drafts);
        const before = fold(emptyConversation, events.slice(0, cut));
        const later = fold(before, events.slice(0, cut + more));
        const after = fold(before, events);
        expect(fold(later, events)).toEqual(after);
        for (const { items } of [before, after]) {
          expect(new Set(items.map(({ key }) => key)).size).toBe(items.length);
        }
        expect(fold(emptyConversation, events)).toEqual(after);
        // An older conversation can be folded again, though a newer one was made of it.
        expect(fold(before, events)).toEqual(after);
      },
    ),
  );
});

test("fold returns the same conversation when it knows all events", () => {
  const view = fold(emptyConversation, conversation);
  expect(fold(view, conversation)).toBe(view);
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent } from "../wire/session/events.ts";
import type { Conversation, ConversationItem, StubItem } from "./conversation.ts";
import { emptyConversation } from "./conversation.ts";
import { fold } from "./fold-conversation.ts";
import { trim } from "./trim-conversation.ts";

type Draft = { type: SessionEvent["type"]; [field: string]: unknown };

const usage = { input_tokens: 1, output_tokens: 1 };
const logged = (drafts: readonly Draft[]): SessionEvent[] =>
  drafts.map((draft, index) => ({ ...draft, seq: index + 1, at: "2026" }) as SessionEvent);

const message = (id: string): Draft => ({ type: "user_message", id, text: `say ${id}` });
const started = (turn_id: string, id: string): Draft => ({
  type: "turn_started",
  turn_id,
  messages: [id],
  cause: "message",
});
const text = (turn_id: string, value: string): Draft => ({
  type: "text_delta",
  turn_id,
  block: 0,
  text: value,
});
const use = (turn_id: string, request_id: string): Draft => ({
  type: "tool_use",
  turn_id,
  request_id,
  tool: "Bash",
  input: {},
});
const result = (request_id: string): Draft => ({
  type: "tool_result",
  request_id,
  output: "o",
  is_error: false,
});
const done = (turn_id: string, id: string): Draft => ({
  type: "done",
  turn_id,
  messages: [id],
  usage,
  cost_usd: 0.25,
  duration_ms: 5,
  stop_reason: "completed",
});

/** A turn of three items. */
const turn = (id: string): Draft[] => [
  message(`m${id}`),
  started(id, `m${id}`),
  text(id, `answer ${id}`),
  use(id, `r${id}`),
  result(`r${id}`),
  done(id, `m${id}`),
];
const of = (...drafts: Draft[]): Conversation => fold(emptyConversation, logged(drafts));
const isStub = (item: ConversationItem): item is StubItem => item.kind === "stub";
const keysOf = ({ items }: Conversation): string[] => items.map(({ key }) => key);

test("trim turns the oldest ended turns into stubs, and leaves the newest ones whole", () => {
  const whole = of(...turn("1"), ...turn("2"), ...turn("3"));
  const trimmed = trim(whole, 4);
  expect(trimmed.items.slice(0, 2)).toEqual([
    {
      kind: "stub",
      key: "turn/1",
      turnId: "1",
      firstSeq: 1,
      lastSeq: 6,
      firstWords: "say m1",
      costUsd: 0.25,
      stopReason: "completed",
      items: 3,
    },
    expect.objectContaining({ turnId: "2", firstSeq: 7, lastSeq: 12 }),
  ]);
  expect(trimmed.items.slice(2)).toEqual(whole.items.slice(6));
  expect([[...trimmed.turns.keys()], trimmed.costUsd]).toEqual([["3"], 0.75]);
  expect(trim(whole, 9)).toBe(whole);
  // The newest turn stays, however long it is.
  expect(trim(trimmed, 0)).toBe(trimmed);
});

test("trim keeps turns of which something runs in the background or waits for a person", () => {
  const agent = { type: "subagent_started", request_id: "r1", background: true } as const;
  const live: Draft[][] = [
    [{ type: "tool_output_delta", request_id: "r1", text: "x" }],
    [agent],
    [{ type: "plan", request_id: "r1", turn_id: "1", plan: "p" }],
    [
      {
        type: "elicitation",
        request_id: "e",
        turn_id: "1",
        server: "s",
        message: "?",
        mode: "form",
      },
    ],
  ];
  for (const events of live) {
    const trimmed = trim(of(...turn("1"), ...events, ...turn("2"), ...turn("3")), 0);
    expect(trimmed.items.filter(isStub).map(({ turnId }) => turnId)).toEqual(["2"]);
  }
  const over = trim(
    of(
      ...turn("1"),
      agent,
      { type: "subagent_ended", request_id: "r1", outcome: "completed" },
      ...turn("2"),
    ),
    0,
  );
  expect(over.items.filter(isStub)).toHaveLength(1);
});

test("fold adds nothing to a turn that a stub stands for", () => {
  // The second call never ended: a crash cut its turn off.
  const whole = of(...turn("1"), ...turn("2").toSpliced(5, 0, use("2", "cut")), ...turn("3"));
  const trimmed = trim(whole, 0);
  expect(trimmed.items[1]).toMatchObject({ openCalls: ["cut"], items: 4 });
  const late = [result("cut"), text("2", "late"), text("1", "late"), use("1", "late")];
  const events = late.map((draft) => ({ ...draft, seq: 99, at: "2026" }) as SessionEvent);
  for (const event of events) expect(keysOf(fold(trimmed, [event]))).toEqual(keysOf(trimmed));
});

test("trim puts notes and dropped messages between trimmed turns into their stubs", () => {
  const between: Draft[] = [
    { type: "notice", code: "cli_restarted", message: "!" },
    message("gone"),
    { type: "message_dropped", id: "gone", reason: "dropped" },
  ];
  const trimmed = trim(of(...turn("1"), ...between, ...turn("2"), ...between, ...turn("3")), 0);
  expect(trimmed.items[0]).toMatchObject({ turnId: "1", lastSeq: 8, items: 5 });
  expect(keysOf(trimmed).slice(0, 4)).toEqual(["turn/1", "turn/2", "note/16", "message/m3"]);
});

/** What may happen in the turn of this number, and after it. */
const historyOf = (n: number) =>
  fc
    .record({
      calls: fc.array(fc.constantFrom("ends", "cut off", "runs on", "asks", "stops later"), {
        maxLength: 3,
      }),
      note: fc.boolean(),
      late: fc.nat(5),
    })
    .map(({ calls, note, late }): Draft[] => {
      const id = `t${n}`;
      const older = `t${n - late}c0`;
      return [
        message(`m${n}`),
        started(id, `m${n}`),
        text(id, "a"),
        ...calls.flatMap((kind, index): Draft[] => {
          const call = `${id}c${index}`;
          if (kind === "cut off") return [use(id, call)];
          if (kind === "asks")
            return [use(id, call), { type: "plan", request_id: call, plan: "p" }];
          const ended = [use(id, call), result(call)];
          const runs: Draft = { type: "tool_output_delta", request_id: call, text: "x" };
          if (kind === "ends") return ended;
          return kind === "runs on" ? [...ended, runs] : [...ended, runs, { ...runs, ended: true }];
        }),
        done(id, `m${n}`),
        ...(note ? [{ type: "notice", code: "cli_restarted", message: "!" } as const] : []),
        ...(late > 0 && n > late
          ? ([
              { type: "approval_resolved", request_id: older, outcome: "allowed" },
              result(older),
            ] as const)
          : []),
      ];
    });

/** A call has one result, and one that no turn made has none. */
function possible(drafts: readonly Draft[]): Draft[] {
  const open = new Set<unknown>();
  return drafts.filter(({ type, request_id: id }) => {
    if (type === "tool_use") open.add(id);
    if (id === undefined || type === "tool_output_delta") return true;
    const isOpen = open.has(id);
    if (type === "tool_result") open.delete(id);
    return isOpen;
  });
}

const history = fc
  .integer({ min: 1, max: 12 })
  .chain((turns) => fc.tuple(...Array.from({ length: turns }, (_, n) => historyOf(n))));

test("trim at any times leaves what a fold without it shows, but for the turns of its stubs", () => {
  fc.assert(
    fc.property(
      history,
      fc.array(fc.record({ at: fc.nat(150), keep: fc.nat(20) }), { maxLength: 4 }),
      (turns, trims) => {
        const events = logged(possible(turns.flat()));
        const whole = fold(emptyConversation, events);
        let trimmed = emptyConversation;
        for (const { at, keep } of trims.toSorted((one, other) => one.at - other.at)) {
          trimmed = trim(fold(trimmed, events.slice(0, at)), keep);
        }
        trimmed = fold(trimmed, events);
        const left = trimmed.items.filter((item) => !isStub(item));
        const keys = new Set(left.map(({ key }) => key));
        expect(left).toEqual(whole.items.filter(({ key }) => keys.has(key)));
        const behind = trimmed.items.filter(isStub).reduce((sum, { items }) => sum + items, 0);
        expect(left.length + behind).toBe(whole.items.length);
        const { items: _items, turns: _turns, ...rest } = trimmed;
        expect(whole).toMatchObject(rest);
        const again = trim(trimmed, 5);
        expect(trim(again, 5)).toBe(again);
      },
    ),
    { numRuns: 500 },
  );
});

import { expect, test } from "vitest";
import type { SessionEvent } from "../wire/session/events.ts";
import { emptyConversation } from "./conversation.ts";
import { fold } from "./fold-conversation.ts";

type Draft = { type: SessionEvent["type"]; [field: string]: unknown };

const at = "2026-01-01T00:00:00.000Z";
const usage = { input_tokens: 1, output_tokens: 1 };
const logged = (drafts: readonly Draft[], after = 0): SessionEvent[] =>
  drafts.map(
    (draft, index) => ({ ...draft, seq: after + index + 1, at }) as unknown as SessionEvent,
  );

const message: Draft = { type: "user_message", id: "a", text: "hi" };
const started: Draft = { type: "turn_started", turn_id: "1", messages: [], cause: "message" };
const done: Draft = {
  type: "done",
  turn_id: "1",
  messages: [],
  usage,
  cost_usd: 0.25,
  duration_ms: 5,
  stop_reason: "completed",
};
const snapshotOf = (drafts: readonly Draft[]): Draft[] => [
  { type: "snapshot_begin", upto: drafts.length },
  ...drafts,
  { type: "snapshot_end", upto: drafts.length },
];

const result = (output: unknown): Draft => ({
  type: "tool_result",
  request_id: "r",
  output,
  is_error: false,
});

const shown = (output: unknown) => {
  const [item] = fold(emptyConversation, logged([result(output)])).items;
  return item?.kind === "tool" ? item : undefined;
};

test("fold keeps the two ends of a long output, and says how much is left out", () => {
  expect(shown("x".repeat(8192))).toMatchObject({ result: { output: "x".repeat(8192) } });
  expect(shown("x".repeat(8192))?.cut).toBeUndefined();
  const long = `${"a".repeat(4095)}😀${"b".repeat(5000)}😀${"c".repeat(4095)}`;
  const cut = { head: "a".repeat(4095), tail: "c".repeat(4095), omittedChars: 5004 };
  expect(shown(long)).toMatchObject({ cut, result: { seq: 1, output: cut.head } });
  const blob = { blob: "b", bytes: 300_000, preview: "p" };
  expect(shown(blob)).toMatchObject({ result: { output: blob } });
});

test("fold has the tokens of a turn, while it runs and when it is done", () => {
  const tokens = { input_tokens: 7, output_tokens: 2 };
  const used: Draft = { type: "usage", turn_id: "1", usage: tokens };
  const ofAgent: Draft = { ...used, parent: "r", usage: { input_tokens: 99, output_tokens: 9 } };
  const running = [started, used, ofAgent];
  const usageOf = (drafts: Draft[]) =>
    fold(emptyConversation, logged(drafts)).turns.get("1")?.usage;
  expect(usageOf(running)).toEqual(tokens);
  expect(usageOf([...running, done])).toEqual(usage);
});

test("fold has the title, the background tasks, the offered tools and the standing permissions", () => {
  const granted = [{ destination: "session", rules: [{ toolName: "Bash", ruleContent: "ls" }] }];
  const allowed: Draft = {
    type: "approval_resolved",
    request_id: "r",
    outcome: "allowed",
    scope: "session",
    granted,
    by: "anna",
  };
  const tasks = [{ task_id: "b", kind: "local_bash", description: "d" }];
  const offer = { type: "tools_offered", client: "c", namespace: "n", tools: ["t"] } as const;
  const events: Draft[] = [
    { type: "title_changed", title: "Mend it" },
    { type: "background_tasks", tasks },
    offer,
    allowed,
  ];
  const view = fold(emptyConversation, logged(events));
  expect(view).toMatchObject({
    title: "Mend it",
    backgroundTasks: tasks,
    offeredTools: [offer],
    grants: [{ id: "r", scope: "session", rule: "Bash(ls)", by: "anna" }],
  });
  const ends: Draft[] = [
    { type: "background_tasks", tasks: [] },
    { type: "tools_withdrawn", client: "c", namespace: "n", reason: "away" },
    { type: "grant_revoked", grant: "r", rule: "Bash(ls)" },
  ];
  const after = fold(view, logged(ends, view.seq));
  expect(after).toMatchObject({ backgroundTasks: [], offeredTools: [], grants: [] });
  // A snapshot tells the permissions whole.
  const snapshot = [...snapshotOf([{ type: "grants", grants: view.grants }]), ...ends.slice(2)];
  expect(fold(emptyConversation, logged(snapshot.slice(0, 3))).grants).toEqual(view.grants);
  expect(fold(emptyConversation, logged(snapshot)).grants).toEqual([]);
});

test("fold moves the deadline of a request that is held", () => {
  const moved = { deadline: "2026-01-01T01:00:00.000Z", remaining_ms: 3_600_000 };
  const held = (request_id: string): Draft => ({ type: "request_held", request_id, ...moved });
  const plan: Draft = { type: "plan", request_id: "r", plan: "p", deadline: at, remaining_ms: 1 };
  const form: Draft = { ...plan, type: "elicitation", request_id: "e", server: "s" };
  const view = fold(emptyConversation, logged([plan, form, held("r"), held("e"), held("?")]));
  expect(view.pending).toMatchObject([
    { request_id: "r", ...moved },
    { request_id: "e", ...moved },
  ]);
  expect(view.items).toMatchObject([{ request: moved }, { note: moved }]);
});

const omittedOf = (events: SessionEvent[]) => fold(emptyConversation, events).omitted;

test("fold says that older turns are not in a conversation that begins in the middle", () => {
  expect(omittedOf(logged([message]))).toBe(false);
  expect(omittedOf(logged([message], 7))).toBe(true);
  const [begin, ...others] = logged(snapshotOf([message]), 7);
  expect(omittedOf([begin!, ...others])).toBe(false);
  expect(omittedOf([{ ...begin!, omitted: true } as SessionEvent, ...others])).toBe(true);
});

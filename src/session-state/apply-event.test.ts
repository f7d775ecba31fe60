import { expect, test } from "vitest";
import type { SessionEvent } from "../wire/session/events.ts";
import { applyEvent } from "./apply-event.ts";
import { pendingOf } from "./pending-requests.ts";
import type { SessionState } from "./session-state.ts";
import { emptyState } from "./session-state.ts";
import { stateFromJson, stateToJson } from "./state-json.ts";

type WithoutPlace<Event> = Event extends SessionEvent ? Omit<Event, "seq" | "at"> : never;
type EventDraft = WithoutPlace<SessionEvent>;

const at = "2026-11-16T21:00:00.000Z";
const usage = { input_tokens: 1, output_tokens: 1 };

function fold(...drafts: EventDraft[]): SessionState {
  const state = emptyState();
  drafts.forEach((draft, index) => {
    applyEvent(state, { seq: index + 1, at, ...draft } as SessionEvent);
  });
  return state;
}

const delta = (type: "text_delta" | "thinking_delta", block: number, parent?: string) =>
  ({ type, block, text: "x", ...(parent !== undefined && { parent }) }) as const;

test("applyEvent keeps the texts since the last call, and an unused block number", () => {
  const begun: EventDraft = { type: "turn_started", turn_id: "t1", messages: [], cause: "message" };
  const told = [begun, delta("text_delta", 0), delta("thinking_delta", 1), delta("text_delta", 2)];
  expect(fold(...told, delta("text_delta", 2)).turn).toMatchObject({ said: [0, 2], nextBlock: 3 });
  expect(fold(...told, delta("text_delta", 3, "c1")).turn).toMatchObject({ said: [0, 2] });
  const retracted = fold(...told, { type: "retracted", block: 2 });
  expect(retracted.turn).toMatchObject({ said: [0], nextBlock: 3 });
  const called = fold(...told, { type: "tool_use", request_id: "c1", tool: "Bash", input: {} });
  expect(called.turn).toMatchObject({ said: [], nextBlock: 3 });
});

test("a retracted call waits for no result; one that a person is asked about does", () => {
  const retracted: EventDraft = { type: "retracted", request_id: "c1" };
  expect([...fold(call("c1"), call("c2"), retracted).calls.keys()]).toEqual(["c2"]);
  const asked: EventDraft = {
    type: "approval_request",
    request_id: "c1",
    tool: "Bash",
    input: {},
    scopes: [],
  };
  expect([...fold(call("c1"), asked, retracted).calls.keys()]).toEqual(["c1"]);
});

const message = (id: string, quiet = false): EventDraft => ({
  type: "user_message",
  id,
  text: "hi",
  quiet,
});
const started = (...messages: string[]): EventDraft => ({
  type: "turn_started",
  turn_id: "t1",
  messages,
  cause: "message",
});
const done = (...messages: string[]): EventDraft => ({
  type: "done",
  turn_id: "t1",
  messages,
  usage,
  cost_usd: 0.5,
  duration_ms: 1,
  stop_reason: "completed",
});
const call = (request_id: string): EventDraft => ({
  type: "tool_use",
  request_id,
  tool: "Bash",
  input: { command: request_id },
});
const request = (request_id: string): EventDraft => ({
  type: "approval_request",
  request_id,
  tool: "Bash",
  input: { command: request_id },
  scopes: [{ scope: "once", label: "Once" }],
});

const granted = (destination: string, rule: string) => ({
  type: "addRules",
  rules: [rule],
  destination,
});
const resolved = (
  scope: "session" | "always",
  ...updates: ReturnType<typeof granted>[]
): EventDraft => ({
  type: "approval_resolved",
  request_id: "r",
  outcome: "allowed",
  scope,
  granted: updates,
});

test("a message is unfinished until a turn has ended or dropped it, and its id is known for ever", () => {
  const state = fold(message("m1"), message("m2"), message("m3"), started("m1"), {
    type: "message_seen",
    id: "m1",
  });
  expect([...state.accepted].map(([id, { seen }]) => [id, seen])).toEqual([
    ["m1", true],
    ["m2", false],
    ["m3", false],
  ]);
  expect(state.turn).toMatchObject({ turnId: "t1", messages: ["m1"], quiet: false });

  const later = fold(message("m1"), message("m2"), message("m3"), started("m1"), done("m1", "m3"), {
    type: "message_dropped",
    id: "m2",
    reason: "aborted",
  });
  expect(later.accepted.size).toBe(0);
  expect([...later.acceptedIds]).toEqual(["m1", "m2", "m3"]);
  expect(later).toMatchObject({ turn: undefined, costUsd: 0.5 });
});

test("a turn of quiet messages only is quiet; one without messages is not", () => {
  expect(fold(message("q", true), started("q")).turn?.quiet).toBe(true);
  expect(fold(message("q", true), message("m"), started("q", "m")).turn?.quiet).toBe(false);
  expect(fold(started()).turn?.quiet).toBe(false);
});

test("calls without a result carry their decision", () => {
  const state = fold(
    call("free"),
    call("asked"),
    request("asked"),
    call("yes"),
    request("yes"),
    { type: "approval_resolved", request_id: "yes", outcome: "allowed", by: "palmux" },
    call("late"),
    request("late"),
    { type: "approval_resolved", request_id: "late", outcome: "timed_out" },
    call("gone"),
    request("gone"),
    { type: "approval_resolved", request_id: "gone", outcome: "superseded" },
    call("over"),
    { type: "tool_result", request_id: "over", output: "", is_error: false },
  );
  expect([...state.calls].map(([id, { decision }]) => [id, decision])).toEqual([
    ["free", undefined],
    ["asked", "none"],
    ["yes", "allowed"],
    ["late", "denied"],
  ]);
  expect([...state.pending.keys()]).toEqual(["asked"]);
  expect(state.resolved.get("yes")).toEqual({ outcome: "allowed", by: "palmux" });
  expect(state.calls.get("asked")).toMatchObject({ tool: "Bash", input: { command: "asked" } });
});

test("grants for the session are kept once, also those of scope always; those in settings are not ours", () => {
  const [a, b] = [granted("session", "a"), granted("session", "b")];
  const state = fold(
    resolved("session", a),
    resolved("session", a),
    resolved("always", granted("localSettings", "b"), b),
  );
  expect(state.grants).toEqual([a, b]);
});

test("a snapshot repeats known events and changes nothing", () => {
  const before = [message("m1"), started("m1"), done("m1")];
  const state = fold(
    ...before,
    { type: "snapshot_begin", upto: 3, items: 3 },
    ...before,
    { type: "snapshot_end", upto: 3 },
    message("m2"),
  );
  expect(state.costUsd).toBe(0.5);
  expect([...state.accepted.keys()]).toEqual(["m2"]);
});

const tasks = [{ task_id: "b1", kind: "local_bash", description: "serve" }];

test("background tasks are known until they are reported as ended, whatever turns do", () => {
  const running = [message("m1"), started("m1"), { type: "background_tasks", tasks } as const];
  const state = fold(...running, done("m1"));
  expect(state.backgroundTasks).toEqual(tasks);
  expect(stateFromJson(stateToJson(state), []).backgroundTasks).toEqual(tasks);
  // Written by a version that did not know of them.
  const { backgroundTasks: _, ...old } = stateToJson(state);
  expect(stateFromJson(old, []).backgroundTasks).toEqual([]);
  expect(fold(...running, { type: "background_tasks", tasks: [] }).backgroundTasks).toEqual([]);
});

test("a notice that asks is pending until it is answered, whatever turns do", () => {
  const asks: EventDraft = {
    type: "notice",
    code: "foreign_writer",
    message: "Another program has written.",
    request_id: "foreign_1",
  };
  const told: EventDraft[] = [started("m1"), asks, done("m1")];
  const state = fold(...told, { type: "notice", code: "rehearsal", message: "It asks nothing." });
  expect(pendingOf(state)).toMatchObject([asks]);
  expect(state.calls.size).toBe(0);
  expect(pendingOf(stateFromJson(stateToJson(state), []))).toEqual(pendingOf(state));
  const answered = fold(...told, {
    type: "approval_resolved",
    request_id: "foreign_1",
    outcome: "allowed",
  });
  expect(pendingOf(answered)).toEqual([]);
});

test("the state survives a round trip through JSON", () => {
  const state = fold(message("m1"), started("m1"), call("a"), request("a"), {
    type: "model_changed",
    model: "opus",
    effort: null,
  });
  const back = stateFromJson(JSON.parse(JSON.stringify(stateToJson(state))), state.acceptedIds);
  expect(back).toEqual(state);
  expect(stateToJson(back)).toEqual(stateToJson(state));
});

const result = (request_id: string): EventDraft => ({
  type: "tool_result",
  request_id,
  output: `of ${request_id}`,
  is_error: false,
});
const cutOff: EventDraft = { ...done(), type: "done", stop_reason: "host_lost" } as EventDraft;
const resumed: EventDraft = { ...started(), type: "turn_started", cause: "resume" } as EventDraft;

test("a call that ran may be missing from the CLI's transcript: it is kept until the turn is over", () => {
  const running = [started("m1"), call("c1"), call("c2"), result("c1")];
  const state = fold(...running);
  expect([...state.finished.keys()]).toEqual(["c1"]);
  expect(state.finished.get("c1")).toMatchObject({ result: "of c1" });
  expect(fold(...running, done("m1")).finished.size).toBe(0);
});

test("calls of a cut turn are kept until the turn that resumes it has ended", () => {
  const running = [started("m1"), call("c1"), call("c2"), result("c1")];
  const again = fold(...running, cutOff, resumed, call("c3"), cutOff, resumed);
  expect([...again.cut.keys()]).toEqual(["c1", "c2", "c3"]);
  expect(stateFromJson(stateToJson(again), []).cut).toEqual(again.cut);
  expect(fold(...running, cutOff, resumed, done("m1")).cut.size).toBe(0);
  expect(fold(...running, cutOff, started("m2")).cut.size).toBe(0);
});

test("no more finished calls are kept than can be missing from the CLI's transcript", () => {
  const calls = Array.from({ length: 100 }, (_, n) => [call(`c${n}`), result(`c${n}`)]);
  const { finished } = fold(started("m1"), ...calls.flat());
  expect([finished.size, [...finished.keys()].at(-1)]).toEqual([32, "c99"]);
});

test("[SES-65] [SES-68] the newest title is known, also after /clear, and where a fork ends is not carried over", () => {
  const forked = { type: "session_changed", session_id: "s", forked_from: "o", forked_at: "row" };
  const told: EventDraft[] = [
    forked as EventDraft,
    { type: "title_changed", title: "One" },
    { type: "title_changed", title: "Two", by: "ann" },
  ];
  expect(fold(...told)).toMatchObject({ title: "Two", forkedFrom: "o", forkedAt: "row" });
  const cleared = fold(...told, { type: "session_changed", session_id: "t", previous: "s" });
  expect(cleared).toMatchObject({ title: "Two", forkedFrom: undefined, forkedAt: undefined });
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SessionEvent, SessionEventOf } from "../wire/session/events.ts";
import type { Grant } from "../wire/session/shared-schemas.ts";
import { SessionView } from "./session-view.ts";

const at = "2026-11-18T04:00:00.000Z";
const usage = { input_tokens: 1, output_tokens: 1 };

type WithoutPlace<Event> = Event extends SessionEvent ? Omit<Event, "seq" | "at"> : never;
type Draft = WithoutPlace<SessionEvent>;

function viewOf(...drafts: Draft[]): SessionView {
  const view = new SessionView();
  apply(view, ...drafts);
  return view;
}

function apply(view: SessionView, ...drafts: Draft[]): void {
  for (const draft of drafts) view.apply({ ...draft, seq: view.lastSeq + 1, at } as SessionEvent);
}

const message = (id: string, quiet?: true): Draft => ({
  type: "user_message",
  id,
  text: id,
  ...(quiet && { quiet }),
});
const started = (...messages: string[]): Draft => ({
  type: "turn_started",
  turn_id: "t1",
  messages,
  cause: "message",
});
const done = (
  stop_reason: "completed" | "aborted" | "host_lost",
  ...messages: string[]
): Draft => ({
  type: "done",
  turn_id: "t1",
  messages,
  stop_reason,
  usage,
  cost_usd: 0,
  duration_ms: 1,
});
const call = (request_id: string): Draft => ({
  type: "tool_use",
  request_id,
  tool: "Bash",
  input: { command: "ls" },
});
const said = (block: number, text: string): Draft => ({ type: "text_delta", block, text });

test("a view knows which messages were seen, which a turn has ended, and why a turn failed", () => {
  const view = viewOf(message("m1"), { type: "message_seen", id: "m1" }, started("m1"));
  expect([view.hasSeen("m1"), view.hasEnded("m1"), view.openMessages]).toEqual([
    true,
    false,
    ["m1"],
  ]);
  apply(view, done("completed", "m1", "m2"));
  expect([view.hasEnded("m1"), view.failureOf("m1")]).toEqual([true, undefined]);
  expect(view.hasSeen("m2")).toBe(true);
  expect(view.endedTurn).toEqual({ messages: ["m1", "m1", "m2"], unread: ["m2"] });
  apply(view, message("m3"), started("m3"), done("aborted", "m3"));
  expect(view.failureOf("m3")).toBe("aborted");
  const error: Draft = { type: "error", code: "overloaded", message: "Try later." } as Draft;
  apply(view, started("m4"), error, done("aborted", "m4"), started("m5"), done("aborted", "m5"));
  expect([view.failureOf("m4"), view.failureOf("m5")]).toEqual(["Try later.", "aborted"]);
});

test("SessionView keeps the messages of a turn that a crash cut, and ends none of them", () => {
  const view = viewOf(message("m1"), started("m1"), done("host_lost"));
  expect([view.endedTurn.messages, view.hasEnded("m1"), view.isBusy]).toEqual([
    ["m1"],
    false,
    true,
  ]);
});

test("a view is busy while a turn runs or is about to, and idle when nothing is open at all", () => {
  const view = viewOf(message("quiet", true));
  expect([view.isBusy, view.isIdle, view.openMessages]).toEqual([false, true, []]);
  apply(view, message("m1"));
  expect([view.isBusy, view.isIdle]).toEqual([true, false]);
  apply(view, started("m1"), done("completed", "m1"));
  expect([view.isBusy, view.isIdle]).toEqual([false, true]);
  const tasks = [{ task_id: "b1", kind: "local_bash", description: "serve" }];
  apply(view, { type: "background_tasks", tasks });
  expect([view.isBusy, view.isIdle]).toEqual([false, false]);
});

test("pending names what waits for a person, and openCalls the calls without a result", () => {
  const scopes = [{ scope: "once", label: "Yes" } as const];
  const request: Draft = {
    type: "approval_request",
    request_id: "c1",
    tool: "Bash",
    input: { command: "ls" },
    scopes,
  };
  const view = viewOf(started("m1"), call("c1"), request, call("c2"));
  expect(view.pending.map(({ request_id }) => request_id)).toEqual(["c1"]);
  expect([...view.openCalls.keys()]).toEqual(["c1", "c2"]);
  const results = ["c1", "c2"].map((request_id): Draft => ({
    type: "tool_result",
    request_id,
    output: "ok",
    is_error: false,
  }));
  apply(view, { type: "approval_resolved", request_id: "c1", outcome: "allowed" }, ...results);
  expect([view.pending, view.openCalls.size]).toEqual([[], 0]);
});

test("[SES-76] grants are those of the start and of every approval since, without those that were taken back", () => {
  const known: Grant = { id: "r0", scope: "session", rule: "Read", granted: [], at };
  const view = new SessionView({ grants: [known] });
  const granted = [{ type: "addRules", rules: [{ toolName: "Edit" }], destination: "session" }];
  apply(view, {
    type: "approval_resolved",
    request_id: "r1",
    outcome: "allowed",
    scope: "session",
    granted,
    by: "ann",
  });
  expect(view.grants).toMatchObject([known, { id: "r1", rule: "Edit", by: "ann" }]);
  apply(view, { type: "grant_revoked", grant: "r0", rule: "Read" });
  expect(view.grants.map(({ id }) => id)).toEqual(["r1"]);
});

test("text joins what the model says, and takeWhole gives each block once it is whole", () => {
  const view = viewOf(started("m1"), said(0, "I will "), said(0, "look."));
  expect([view.text.final, view.text.takeWhole(false)]).toEqual(["I will look.", []]);
  apply(view, call("c1"), said(1, "It is"));
  expect(view.text.takeWhole(false)).toEqual([{ kind: "said", text: "I will look." }]);
  apply(view, said(1, " fine."), { type: "text_delta", block: 2, text: "inner", parent: "c9" });
  expect(view.text.final).toBe("It is fine.");
  expect(view.text.takeWhole(true)).toEqual([{ kind: "said", text: "It is fine." }]);
  apply(view, started("m2"));
  expect(view.text.final).toBe("");
});

test("SessionView that begins later takes what was pending, and lists it before newer requests", () => {
  const asked = (request_id: string, seq: number): SessionEventOf<"approval_request"> => ({
    type: "approval_request",
    request_id,
    tool: "Bash",
    input: {},
    scopes: [],
    seq,
    at,
  });
  const text = { level: "warning", code: "conversation_lost", message: "Go on?" } as const;
  const notice = { type: "notice", request_id: "n1", seq: 5, at, ...text } as const;
  const view = new SessionView({ since: 7, pending: [asked("c1", 4), notice] });
  view.apply(asked("c2", 8));
  expect(view.pending.map(({ request_id }) => request_id)).toEqual(["c1", "n1", "c2"]);
  expect([...view.openCalls.keys()]).toEqual(["c1", "c2"]);
  apply(view, { type: "approval_resolved", request_id: "n1", outcome: "allowed" });
  expect(view.pending.map(({ request_id }) => request_id)).toEqual(["c1", "c2"]);
  view.reset("l2");
  expect(view.pending).toEqual([]);
});

test("queuedMessages names the messages that wait for their turn, and outcomeOf what became of each", () => {
  const view = viewOf(message("m1"), message("m2"), message("m3"), started("m1"));
  expect(view.queuedMessages).toEqual(["m2", "m3"]);
  apply(view, { type: "message_seen", id: "m2" });
  apply(view, { type: "message_dropped", id: "m3", reason: "aborted" });
  expect(view.queuedMessages).toEqual([]);
  expect(view.outcomeOf("m1")).toBeUndefined();
  apply(view, done("aborted", "m1", "m2"));
  expect(["m1", "m2", "m3", "m4"].map((id) => view.outcomeOf(id))).toEqual([
    "aborted",
    "aborted",
    "dropped",
    undefined,
  ]);
});

test("closing is the newest event if it says that the session's process ends", () => {
  const view = viewOf({ type: "closing", reason: "signal" });
  expect(view.closing).toMatchObject({ seq: 1, reason: "signal" });
  apply(view, message("m1"));
  expect(view.closing).toBeUndefined();
});

test("untilToolCall resolves when the call is open, and rejects with the signal's reason", async () => {
  const view = viewOf(started("m1"));
  const never = new AbortController();
  let resolved = 0;
  const both = [1, 2].map(() => view.untilToolCall("c1", never.signal).then(() => (resolved += 1)));
  apply(view, call("c0"));
  await Promise.resolve();
  expect(resolved).toBe(0);
  apply(view, call("c1"));
  await Promise.all(both);
  await view.untilToolCall("c1", never.signal);
  const given = new AbortController();
  const waiting = view.untilToolCall("c2", given.signal);
  given.abort(new Error("too late"));
  await expect(waiting).rejects.toThrow("too late");
  await expect(view.untilToolCall("c1", given.signal)).rejects.toThrow("too late");
});

test("untilToolCall outlives a reset, because the session tells of the call afterwards", async () => {
  const view = viewOf(started("m1"));
  const waiting = view.untilToolCall("c1", new AbortController().signal);
  view.apply({ type: "reset", logId: "l2", epoch: 2 });
  apply(view, call("c1"));
  await waiting;
  expect([view.logId, view.lastSeq, view.state.turn]).toEqual(["l2", 1, undefined]);
});

const begin: Draft = { type: "snapshot_begin", upto: 1 };
const end: Draft = { type: "snapshot_end", upto: 1 };

test("a view that knows nothing reads a snapshot; one that knows the log passes over it", () => {
  const view = viewOf(begin, message("m1"), started("m1"), call("c1"));
  expect([view.isReadingSnapshot, [...view.openCalls.keys()]]).toEqual([true, ["c1"]]);
  apply(view, end, begin, message("m2"), done("aborted", "m1"));
  expect([view.isReadingSnapshot, view.isSkippingSnapshot]).toEqual([false, true]);
  expect(view.openMessages).toEqual(["m1"]);
  expect(view.endedTurn.messages).toEqual([]);
  apply(view, end, done("completed", "m1"));
  expect(view.isIdle).toBe(true);
  expect(viewOf(message("m1"), begin, message("m2"), end).openMessages).toEqual(["m1"]);
});

const facts = (view: SessionView) => {
  const { state, text, pending, endedTurn, isBusy, isIdle, lastSeq, isReadingSnapshot } = view;
  const ofMessage = [view.hasSeen("m1"), view.hasEnded("m1"), view.failureOf("m1")];
  const { final } = text;
  return {
    state,
    final,
    pending,
    endedTurn,
    isBusy,
    isIdle,
    lastSeq,
    isReadingSnapshot,
    ofMessage,
  };
};

test("SessionView after a reset equals a new one", () => {
  const drafts = fc.constantFrom(
    message("m1"),
    message("m2", true),
    started("m1"),
    done("completed", "m1"),
    done("aborted", "m1"),
    call("c1"),
    said(0, "x"),
    begin,
    end,
  );
  fc.assert(
    fc.property(fc.array(drafts), fc.array(drafts), (before, after) => {
      const view = viewOf(...before);
      view.reset("l2");
      apply(view, ...after);
      expect(facts(view)).toEqual(facts(viewOf(...after)));
    }),
  );
});

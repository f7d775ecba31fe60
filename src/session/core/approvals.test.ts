import { expect, onTestFinished, test } from "vitest";
import { HandTimers } from "../../../test/support/hand-timers.ts";
import { memoryDir } from "../../../test/support/temp-dir.ts";
import type { PermissionDecision } from "../../engine/permission.ts";
import { openLog } from "../log/event-log.ts";
import { Approvals } from "./approvals.ts";
import { Inbox } from "./inbox.ts";
import { Recorder } from "./recorder.ts";
import { Turns } from "./turns.ts";

const approve = (request_id: string) => ({ type: "approve", request_id, scope: "once" }) as const;
const deny = (request_id: string, reason = "User denied") =>
  ({ type: "deny", request_id, reason, interrupt: false }) as const;

function stage() {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const timers = new HandTimers();
  const recorder = new Recorder(log);
  const turns = new Turns(recorder, new Inbox(recorder, timers));
  const approvals = new Approvals(recorder, turns, timers, 60_000);
  /** A CLI asks; gives what it is told, when it is. */
  const asks = (request_id: string, command = "make", agent?: string) => {
    const withdrawal = new AbortController();
    const told: PermissionDecision[] = [];
    const input = { command };
    const { signal } = withdrawal;
    const of = agent !== undefined && { agent };
    const request = { request_id, tool: "Bash", input, suggestions: [], signal, ...of };
    const answered = approvals.ask(request).then((decision) => told.push(decision));
    return { told, answered, withdraw: () => withdrawal.abort() };
  };
  return { log, timers, approvals, asks, outcomeOf: (id: string) => log.state.resolved.get(id) };
}

test("the first answer wins, and later ones hear whose it was", async () => {
  const { approvals, asks, outcomeOf } = stage();
  const { told, answered } = asks("a");
  const both = [approvals.answer(approve("a"), "ann"), approvals.answer(deny("a"), "bob")];
  const [first, second] = await Promise.allSettled(both);
  expect(first?.status).toBe("fulfilled");
  expect(second).toMatchObject({
    reason: { code: "already_resolved", data: { outcome: "allowed", by: "ann" } },
  });
  await answered;
  expect(told).toEqual([{ allow: true }]);
  expect(outcomeOf("a")).toEqual({ outcome: "allowed", by: "ann" });
  await expect(approvals.answer(approve("b"), "ann")).rejects.toMatchObject({
    code: "unknown_request",
  });
});

test("what nobody answers in time is denied, and the model is told why", async () => {
  const { timers, approvals, asks, outcomeOf } = stage();
  const { told, answered } = asks("a");
  timers.pass(59_999);
  expect(outcomeOf("a")).toBeUndefined();
  timers.pass(1);
  await answered;
  expect(told).toEqual([{ allow: false, message: expect.stringContaining("Nobody answered") }]);
  expect(outcomeOf("a")).toMatchObject({ outcome: "timed_out" });
  await expect(approvals.answer(approve("a"), "ann")).rejects.toMatchObject({
    code: "already_resolved",
  });
  expect(timers.waiting).toBe(0);
});

test("an answer that the log refuses leaves the request open, with its time running", async () => {
  const { timers, approvals, asks, outcomeOf } = stage();
  const [first, second] = [asks("a"), asks("b")];
  const tooLong = "x".repeat(9_000_000);
  for (const id of ["a", "b"]) {
    await expect(approvals.answer(deny(id, tooLong), "ann")).rejects.toMatchObject({
      code: "message_too_large",
    });
  }
  await approvals.answer(approve("a"), "bob");
  await first.answered;
  expect(outcomeOf("a")).toEqual({ outcome: "allowed", by: "bob" });
  timers.pass(60_000);
  await second.answered;
  expect(outcomeOf("b")).toMatchObject({ outcome: "timed_out" });
});

test("an answer that comes while no CLI is there waits for the one that asks again", async () => {
  const { log, timers, approvals, asks, outcomeOf } = stage();
  const before = asks("a");
  approvals.cliGone();
  before.withdraw();
  const given = approvals.answer(approve("a"), "ann");
  timers.pass(100_000);
  expect(log.state.pending.has("a")).toBe(true);
  const after = asks("a");
  expect(log.state.pending.get("a")).toMatchObject({ again: true });
  await Promise.all([given, after.answered]);
  expect([before.told, after.told]).toEqual([[], [{ allow: true }]]);
  expect(outcomeOf("a")).toEqual({ outcome: "allowed", by: "ann" });
});

test("a question that the CLI takes back is over, unless it was the CLI that went", () => {
  const { log, timers, approvals, asks, outcomeOf } = stage();
  asks("a").withdraw();
  timers.pass(1000);
  expect(outcomeOf("a")).toMatchObject({ outcome: "aborted" });
  asks("b").withdraw();
  approvals.cliGone();
  timers.pass(1000);
  expect(log.state.pending.has("b")).toBe(true);
});

test("what a crash took back is named by the request that replaces it, once", async () => {
  const { log, approvals, asks, outcomeOf } = stage();
  asks("a", "make");
  asks("b", "test");
  approvals.cliGone();
  approvals.supersedeAllBut("b");
  expect(outcomeOf("a")).toMatchObject({ outcome: "superseded" });
  expect(outcomeOf("b")).toBeUndefined();
  await expect(approvals.answer(approve("a"), "ann")).rejects.toMatchObject({
    code: "already_resolved",
    hint: expect.stringContaining("replaces"),
  });
  asks("c", "make");
  asks("d", "make");
  expect(log.state.pending.get("c")).toMatchObject({ replaces: "a" });
  expect(log.state.pending.get("d")).not.toHaveProperty("replaces");
  approvals.abortAll();
  expect([...log.state.pending]).toEqual([]);
});

test("a sub-agent that asks while no turn is open begins none", async () => {
  const { log, approvals, asks, outcomeOf } = stage();
  const { told, answered } = asks("a", "make", "agent-1");
  expect(log.state).toMatchObject({ turn: undefined, activity: "waiting" });
  expect(log.state.pending.get("a")).not.toHaveProperty("turn_id");
  await approvals.answer(approve("a"), "ann");
  await answered;
  expect(told).toEqual([{ allow: true }]);
  expect(outcomeOf("a")).toEqual({ outcome: "allowed", by: "ann" });
  expect(log.state).toMatchObject({ turn: undefined, activity: "idle" });
  asks("b");
  expect(log.state.turn).toBeDefined();
});

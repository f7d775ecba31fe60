import { expect, onTestFinished, test, vi } from "vitest";
import { HandTimers } from "../../../../test/support/hand-timers.ts";
import { memoryDir } from "../../../../test/support/temp-dir.ts";
import type { PermissionDecision } from "../../../engine/ask-permission.ts";
import { errorOf } from "../../../wire/errors.ts";
import type { PolicyRule } from "../../../wire/policy-rule.ts";
import { openLog } from "../../log/open-log.ts";
import { Approvals } from "./approvals.ts";
import { Inbox } from "../inbox.ts";
import { Recorder } from "../event-recorder.ts";
import { Turns } from "../open-and-end-turns.ts";

const approve = (request_id: string) => ({ type: "approve", request_id, scope: "once" }) as const;
const deny = (request_id: string, reason = "User denied") =>
  ({ type: "deny", request_id, reason, interrupt: false }) as const;

function stage(policy: readonly PolicyRule[] = []) {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const timers = new HandTimers();
  const recorder = new Recorder(log);
  const turns = new Turns(recorder, new Inbox(recorder, timers));
  const approvals = new Approvals(recorder, turns, timers, {
    cwd: "/",
    approvalTimeoutMs: 60_000,
    policy,
  });
  /** A CLI asks; gives what it is told, when it is. */
  const asks = (request_id: string, command = "make", agent?: string, parent?: string) => {
    const withdrawal = new AbortController();
    const told: PermissionDecision[] = [];
    const input = { command };
    const { signal } = withdrawal;
    const of = { ...(agent !== undefined && { agent }), ...(parent !== undefined && { parent }) };
    const request = { request_id, tool: "Bash", input, suggestions: [], signal, ...of };
    const answered = approvals.ask(request).then((decision) => told.push(decision));
    return { told, answered, withdraw: () => withdrawal.abort() };
  };
  /** Another process goes on with the log. */
  const restarted = () => new Approvals(recorder, turns, timers, { approvalTimeoutMs: 60_000 });
  const outcomeOf = (id: string) => log.state.resolved.get(id);
  return { log, timers, approvals, restarted, asks, outcomeOf };
}

test("the first answer wins, and later ones learn who was first", async () => {
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

test("a request that is not answered in time is denied with a reason for the model", async () => {
  const { timers, approvals, asks, outcomeOf } = stage();
  const { told, answered } = asks("a");
  timers.pass(59_999);
  expect(outcomeOf("a")).toBeUndefined();
  timers.pass(1);
  await answered;
  expect(told).toEqual([{ allow: false, message: expect.stringContaining("No person answered") }]);
  expect(outcomeOf("a")).toMatchObject({ outcome: "timed_out" });
  await expect(approvals.answer(approve("a"), "ann")).rejects.toMatchObject({
    code: "already_resolved",
  });
  expect(timers.waiting).toBe(0);
});

test("[SES-61] hold moves the deadline of a request, also when the request is asked again after a crash", async () => {
  const { log, timers, approvals, asks, outcomeOf } = stage();
  asks("a");
  timers.pass(50_000);
  await approvals.hold("a", 600_000, "ann");
  const { events } = await log.history(undefined, 100);
  const held = events.find(({ type }) => type === "request_held");
  expect(held).toMatchObject({ request_id: "a", by: "ann", remaining_ms: 600_000 });
  const { deadline } = held as { deadline: string };
  expect(log.state.pending.get("a")).toMatchObject({ deadline });
  timers.pass(599_999);
  expect(outcomeOf("a")).toBeUndefined();
  approvals.cliGone();
  const again = asks("a");
  const { deadline: kept = "", remaining_ms = 0 } = log.state.pending.get("a") ?? {};
  expect(Math.abs(Date.parse(kept) - Date.parse(deadline))).toBeLessThan(1_000);
  timers.pass(remaining_ms);
  await again.answered;
  expect(outcomeOf("a")).toMatchObject({ outcome: "timed_out" });
  await expect(approvals.hold("a", 1000, "ann")).rejects.toMatchObject({
    code: "already_resolved",
  });
  await expect(approvals.hold("b", 1000, "ann")).rejects.toMatchObject({
    code: "unknown_request",
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

test("an answer while no CLI runs waits for the CLI that asks again", async () => {
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

test("a question that the CLI withdraws is over, unless the CLI died", () => {
  const { log, timers, approvals, asks, outcomeOf } = stage();
  asks("a").withdraw();
  timers.pass(1000);
  expect(outcomeOf("a")).toMatchObject({ outcome: "aborted" });
  asks("b").withdraw();
  approvals.cliGone();
  timers.pass(1000);
  expect(log.state.pending.has("b")).toBe(true);
});

test("[SES-61] a request that replaces a held one keeps its deadline", async () => {
  const { log, approvals, asks } = stage();
  asks("a");
  await approvals.hold("a", 600_000, "ann");
  const { deadline = "" } = log.state.pending.get("a") ?? {};
  approvals.cliGone();
  approvals.supersedeAllBut(undefined);
  asks("b");
  asks("c");
  const { deadline: kept = "", replaces } = (log.state.pending.get("b") ?? {}) as {
    deadline?: string;
    replaces?: string;
  };
  expect(replaces).toBe("a");
  expect(Math.abs(Date.parse(kept) - Date.parse(deadline))).toBeLessThan(1_000);
  expect(log.state.pending.get("c")?.remaining_ms).toBe(60_000);
});

const endings: [string, (approvals: Approvals) => void][] = [
  ["its call has its result", (approvals) => approvals.callEnded("a")],
  ["its turn ends", (approvals) => approvals.endWithdrawn()],
];

test.each(endings)(
  "[SES-91] a request that no CLI asks again is aborted when %s, also after a restart of the host",
  async (_when, end) => {
    for (const isNewHost of [false, true]) {
      const { log, approvals, restarted, asks } = stage();
      asks("a");
      approvals.cliGone();
      const now = isNewHost ? restarted() : approvals;
      now.supersedeAllBut("a");
      const refused = { code: "already_resolved", data: { outcome: "aborted" } };
      const given = now.answer(approve("a"), "ann").catch((error: unknown) => error);
      end(now);
      for (const [, again] of endings) again(now);
      expect(await given).toMatchObject(refused);
      await expect(now.answer(approve("a"), "bob")).rejects.toMatchObject(refused);
      expect(log.state).toMatchObject({ activity: "running", pending: new Map() });
      await log.durable();
      const { events } = await log.history(undefined, 100);
      expect(events.filter(({ type }) => type === "approval_resolved")).toHaveLength(1);
    }
  },
);

test("[SES-91] a request that a CLI waits for stays open, whatever becomes of other calls and turns", () => {
  const { log, approvals, asks } = stage();
  asks("a");
  asks("b", "make", "agent-1");
  for (const [, end] of endings) end(approvals);
  expect([...log.state.pending.keys()]).toEqual(["a", "b"]);
});

test("the request that replaces a superseded one names it, once", async () => {
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

test("a request of a sub-agent starts no turn when none is open", async () => {
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

test("a sub-agent's request names the call that started the sub-agent, also before its call is recorded", () => {
  const { log, asks } = stage();
  asks("a", "make", "agent-1", "call-1");
  expect(log.state.pending.get("a")).toMatchObject({ parent: "call-1" });
});

const rules: PolicyRule[] = [
  { tool: "Bash", match: "make*", action: "allow" },
  { tool: "Bash", match: "rm *", action: "deny", reason: "Nothing is removed here." },
  { tool: "Bash", match: "git push*", action: "ask" },
];

test("a rule that allows or denies decides at once, and the log names the rule and no client", async () => {
  const { log, asks } = stage(rules);
  const [allowed, denied] = [asks("a", "make all"), asks("b", "rm -rf .")];
  await Promise.all([allowed.answered, denied.answered]);
  expect(allowed.told).toEqual([{ allow: true }]);
  expect(denied.told).toEqual([{ allow: false, message: "Nothing is removed here." }]);
  const { events } = await log.history(undefined, 100);
  expect(events.filter(({ type }) => type === "approval_resolved")).toMatchObject([
    { request_id: "a", outcome: "allowed", rule: "1: allow Bash(make*)" },
    { request_id: "b", outcome: "denied", rule: "2: deny Bash(rm *)" },
  ]);
  expect(events.filter((event) => "by" in event)).toEqual([]);
  // No client was kept waiting, so no client is informed.
  expect(events.filter((event) => event.type === "status" && event.state === "waiting")).toEqual(
    [],
  );
});

test("a rule that asks marks the request and offers no grant, because the rule would ask again", async () => {
  const { log, approvals, asks } = stage(rules);
  const { told, answered } = asks("a", "git push origin");
  expect(log.state.pending.get("a")).toMatchObject({
    policy: { action: "ask", rule: "3: ask Bash(git push*)" },
    scopes: [{ scope: "once" }],
  });
  await approvals.answer(approve("a"), "ann");
  await answered;
  expect(told).toEqual([{ allow: true }]);
});

test("a call that matches no rule is left to a person", () => {
  const { log, asks } = stage(rules);
  asks("a", "npm install");
  expect(log.state.pending.get("a")).not.toHaveProperty("policy");
});

test("a rule's decision that a full disk refuses takes effect when the disk has room", async () => {
  const { log, timers, asks } = stage(rules);
  const full = errorOf("log_write_failed", "The disk is full.");
  const durable = vi.spyOn(log, "durable").mockRejectedValueOnce(full).mockRejectedValueOnce(full);
  const { told, answered } = asks("a", "make all");
  await expect.poll(() => durable.mock.calls).toHaveLength(1);
  expect(told).toEqual([]);
  for (const tries of [2, 3]) {
    timers.pass(1000);
    await expect.poll(() => durable.mock.calls).toHaveLength(tries);
  }
  await answered;
  expect(told).toEqual([{ allow: true }]);
});

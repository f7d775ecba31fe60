import { expect, onTestFinished, test } from "vitest";
import { HandTimers } from "../../../../test/support/hand-timers.ts";
import { memoryDir } from "../../../../test/support/temp-dir.ts";
import type { ElicitationAnswer, ElicitationRequest } from "../../../engine/ask-elicitation.ts";
import { openLog } from "../../log/open-log.ts";
import { Inbox } from "../inbox.ts";
import { Recorder } from "../event-recorder.ts";
import { Turns } from "../open-and-end-turns.ts";
import { Approvals } from "./approvals.ts";
import { loadFormCheck } from "./elicitations.ts";

const schema = {
  type: "object",
  properties: {
    target: { type: "string", enum: ["staging", "production"] },
    copies: { type: "integer", minimum: 1 },
    // It would keep a validator busy for ever.
    code: { type: "string", pattern: "^(a+)+$" },
  },
  required: ["target"],
};

function stage() {
  const log = openLog(memoryDir());
  onTestFinished(() => log.close());
  const timers = new HandTimers();
  const recorder = new Recorder(log);
  const turns = new Turns(recorder, new Inbox(recorder, timers));
  const approvals = new Approvals(recorder, turns, timers, { cwd: "/", approvalTimeoutMs: 60_000 });
  /** A server asks; gives what it is told, when it is. */
  const asks = async (more: Partial<ElicitationRequest> = {}) => {
    const withdrawal = new AbortController();
    const told: ElicitationAnswer[] = [];
    const { signal } = withdrawal;
    const before = new Set(log.state.pending.keys());
    const answered = approvals
      .elicit({ server: "my shop", message: "Where?", mode: "form", schema, signal, ...more })
      .then((answer) => told.push(answer));
    await expect.poll(() => log.state.pending.size).toBeGreaterThan(before.size);
    const id = [...log.state.pending.keys()].find((each) => !before.has(each)) ?? "";
    return { id, told, answered, withdraw: () => withdrawal.abort() };
  };
  const respond = (
    request_id: string,
    action: "accept" | "decline" | "cancel",
    content?: Record<string, string | number>,
    by = "ann",
  ) => approvals.answer({ type: "respond", request_id, action, ...(content && { content }) }, by);
  return { log, timers, approvals, recorder, asks, respond };
}

test("[SES-80] the first answer to a server's form wins, and everybody sees who gave it", async () => {
  const { log, asks, respond } = stage();
  const { id, told, answered } = await asks();
  expect(log.state.pending.get(id)).toMatchObject({ server: "my shop", mode: "form", schema });
  const content = { target: "staging", copies: 2 };
  const both = [respond(id, "accept", content), respond(id, "decline", undefined, "bob")];
  const [, second] = await Promise.allSettled(both);
  expect(second).toMatchObject({
    reason: { code: "already_resolved", data: { outcome: "allowed", by: "ann" } },
  });
  await answered;
  expect(told).toEqual([{ action: "accept", content }]);
  const { events } = await log.history(undefined, 100);
  const resolved = { outcome: "allowed", action: "accept", content, by: "ann" };
  expect(events.find(({ type }) => type === "approval_resolved")).toMatchObject(resolved);
});

test("[SES-80] content that does not fit the form is refused by the name of its field, and the form stays open", async () => {
  const { log, asks, respond } = stage();
  const { id } = await asks();
  for (const [content, field] of [
    [{}, "target: is missing"],
    [{ target: "moon" }, 'target: must be one of ["staging","production"]'],
    [{ target: "staging", copies: 0 }, "copies: must be >= 1"],
  ] as const) {
    await expect(respond(id, "accept", content)).rejects.toMatchObject({
      code: "invalid_params",
      message: `respond.content: ${field}`,
      hint: expect.stringContaining("still open"),
    });
  }
  await expect(respond(id, "decline", { target: "staging" })).rejects.toMatchObject({
    code: "invalid_params",
  });
  expect(log.state.pending.has(id)).toBe(true);
});

test("[SES-80] a server's question takes respond and deny, and no other request takes respond", async () => {
  const { approvals, asks, respond } = stage();
  const { id, told, answered } = await asks({ mode: "url", url: "https://a.example" });
  const approve = { type: "approve", request_id: id, scope: "once" } as const;
  await expect(approvals.answer(approve, "ann")).rejects.toMatchObject({ code: "invalid_params" });
  const deny = { type: "deny", request_id: id, reason: "User denied" } as const;
  await expect(approvals.answer({ ...deny, interrupt: true }, "ann")).rejects.toMatchObject({
    code: "invalid_params",
    hint: expect.stringContaining("abort"),
  });
  await approvals.answer({ ...deny, interrupt: false }, "ann");
  await answered;
  expect(told).toEqual([{ action: "decline" }]);
  const { signal } = new AbortController();
  void approvals.ask({ request_id: "c1", tool: "Bash", input: {}, suggestions: [], signal });
  await expect(respond("c1", "accept")).rejects.toMatchObject({
    code: "invalid_params",
    hint: "Answer it with approve or deny.",
  });
  await expect(respond("nothing", "accept")).rejects.toMatchObject({ code: "unknown_request" });
});

test("[SES-81] an MCP server whose question no person answers in time gets the answer cancel", async () => {
  const { log, timers, asks } = stage();
  const { id, told, answered } = await asks();
  timers.pass(60_000);
  await answered;
  expect(told).toEqual([{ action: "cancel" }]);
  expect(log.state.resolved.get(id)).toMatchObject({ outcome: "timed_out" });
});

test("[SES-81] a question that its server or its turn takes back is aborted", async () => {
  const { log, approvals, timers, asks } = stage();
  const one = await asks();
  one.withdraw();
  timers.pass(1_000);
  await one.answered;
  expect(one.told).toEqual([{ action: "cancel" }]);
  expect(log.state.resolved.get(one.id)).toMatchObject({ outcome: "aborted" });
  const other = await asks();
  approvals.abortAll();
  await other.answered;
  expect(log.state.resolved.get(other.id)).toMatchObject({ outcome: "aborted" });
});

test("[SES-81] a question that a crash ends is superseded, and the same question after it says so", async () => {
  const { log, approvals, asks } = stage();
  const { id } = await asks();
  approvals.cliGone();
  approvals.supersedeAllBut(undefined);
  expect(log.state.resolved.get(id)).toMatchObject({ outcome: "superseded" });
  const again = await asks();
  expect(log.state.pending.get(again.id)).toMatchObject({ replaces: id });
});

test("[SES-79] a server's question names the call that waits for it, if it can be only one", async () => {
  const { log, recorder, asks } = stage();
  const call = (request_id: string) =>
    recorder.record({ type: "tool_use", request_id, tool: "mcp__my_shop__buy", input: {} });
  const free = await asks();
  expect(log.state.pending.get(free.id)).not.toHaveProperty("call");
  // A server that asks on its own begins no turn.
  expect(log.state).toMatchObject({ turn: undefined, activity: "waiting" });
  call("c1");
  const bound = await asks();
  expect(log.state.pending.get(bound.id)).toMatchObject({ call: "c1" });
  call("c2");
  const unclear = await asks();
  expect(log.state.pending.get(unclear.id)).not.toHaveProperty("call");
  expect([...log.state.calls.keys()]).toEqual(["c1", "c2"]);
});

test("a form that is too long for people is cancelled and not shown", async () => {
  const { log, approvals } = stage();
  const { signal } = new AbortController();
  const long = { server: "s", message: "x".repeat(70_000), mode: "form", signal } as const;
  expect(await approvals.elicit(long)).toEqual({ action: "cancel" });
  expect(log.state.pending.size).toBe(0);
});

test("a server's regular expressions are not run, and a schema that is none checks nothing", async () => {
  const check = await loadFormCheck(schema);
  expect(check({ target: "staging", code: `${"a".repeat(40)}b` })).toBeUndefined();
  const any = await loadFormCheck({ type: "object", properties: { a: { type: "colour" } } });
  expect(any({ a: 1 })).toBeUndefined();
});

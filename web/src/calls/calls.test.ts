// @vitest-environment happy-dom
import { batch } from "@preact/signals";
import { expect, onTestFinished, test, vi } from "vitest";
import { Calls } from "./calls.ts";
import { commandCall, FakeDecider } from "./fake-decider.ts";

function stage() {
  const decider = new FakeDecider();
  const calls = new Calls(decider);
  onTestFinished(calls.watch());
  return { decider, calls, ids: () => calls.waiting.value.map(({ id }) => id) };
}

const refusal = (code: string, data: object = {}): Error =>
  Object.assign(new Error(code), { code, data });

test("`Calls` lists the call that denies itself first on top, and those without a limit last", () => {
  const { decider, ids } = stage();
  decider.come(commandCall("never", { deadline: undefined, remaining_ms: undefined }));
  decider.come(commandCall("late", { deadline: "2026-11-18T12:09:00.000Z" }));
  decider.come(commandCall("soon", { deadline: "2026-11-18T12:01:00.000Z" }));
  expect(ids()).toEqual(["soon", "late", "never"]);
});

test("`Calls` takes the time that is left of calls before its own from the host, of later ones from their event", async () => {
  const decider = new FakeDecider();
  const calls = new Calls(decider);
  decider.isCaughtUp.value = false;
  onTestFinished(calls.watch());
  decider.answer = [commandCall("old", { remaining_ms: 5000 })];
  const left = (id: string): number => (calls.endsAt(id) ?? Infinity) - performance.now();
  batch(() => {
    decider.come(commandCall("old"));
    decider.isCaughtUp.value = true;
  });
  expect(calls.endsAt("old")).toBeUndefined();
  await vi.waitFor(() => expect(left("old")).toBeLessThan(5001));
  decider.come(commandCall("new"));
  expect(left("new")).toBeGreaterThan(299_000);
});

test("`Calls` leaves out what a rule of the policy decides", () => {
  const { decider, ids } = stage();
  for (const action of ["allow", "deny", "ask"]) {
    decider.come(commandCall(action, { policy: { action, rule: "1" } } as object));
  }
  expect(ids()).toEqual(["ask"]);
});

test("`Calls` shows a decision as sent until the event of it, and sends it once", async () => {
  const { decider, calls } = stage();
  const call = commandCall("a");
  decider.come(call);
  const deciding = calls.decide(call, { kind: "approve", scope: "once" });
  expect(calls.sent.value.get("a")).toBe("approve");
  await calls.decide(call, { kind: "deny" });
  await deciding;
  // The answer alone changes nothing.
  expect(calls.sent.value.get("a")).toBe("approve");
  expect(decider.decided).toHaveLength(1);
  decider.end("a", { outcome: "allowed", by: "anna" });
  await vi.waitFor(() => expect(calls.sent.value.size).toBe(0));
  expect(calls.gone.value[0]?.end).toEqual({ outcome: "allowed", by: "anna" });
});

test("`Calls` tells who decided a call that goes without the page's doing", async () => {
  const { decider, calls, ids } = stage();
  decider.come(commandCall("a"));
  decider.end("a", { outcome: "denied", by: "bob" });
  expect(ids()).toEqual([]);
  await vi.waitFor(() => expect(calls.gone.value[0]?.end?.by).toBe("bob"));
});

test.each(["already_resolved", "unknown_request"])(
  "`Calls` lets a call go that the host refuses as %s, and asks the host once",
  async (code) => {
    const { decider, calls, ids } = stage();
    const call = commandCall("a");
    decider.come(call);
    await vi.waitFor(() => expect(decider.asked).toBeGreaterThan(0));
    const before = decider.asked;
    decider.answer = [];
    decider.refusal = refusal(code, { outcome: "allowed", by: "anna" });
    await calls.decide(call, { kind: "deny" });
    expect(ids()).toEqual([]);
    expect(decider.asked).toBe(before + 1);
    await vi.waitFor(() => {
      expect(calls.gone.value[0]?.end).toMatchObject({ outcome: "allowed", by: "anna" });
    });
  },
);

test("`Calls` keeps a call whose decision failed, and throws why", async () => {
  const { decider, calls, ids } = stage();
  const call = commandCall("a");
  decider.come(call);
  decider.refusal = refusal("agent_unavailable");
  await expect(calls.decide(call, { kind: "deny" })).rejects.toThrow("agent_unavailable");
  expect(ids()).toEqual(["a"]);
  expect(calls.sent.value.size).toBe(0);
});

test("`Calls` keeps only the last few that went", async () => {
  const { decider, calls } = stage();
  for (let n = 0; n < 30; n += 1) {
    decider.come(commandCall(`c${n}`));
    decider.end(`c${n}`, { outcome: "allowed" });
    await Promise.resolve();
  }
  await vi.waitFor(() => expect(calls.gone.value[0]?.id).toBe("c29"));
  expect(calls.gone.value).toHaveLength(5);
});

import { expect, test } from "vitest";
import type { PendingRequest } from "../wire/session/approval-events.ts";
import { isDecidedByPolicy, requestText } from "./request-text.ts";

const base = { seq: 1, at: "2026-11-18T10:00:00Z", request_id: "r1" };
const scopes = [{ scope: "once", label: "Allow" }] as const;
const call = (input: object, more: object = {}) =>
  ({
    type: "approval_request",
    ...base,
    tool: "Bash",
    input,
    scopes,
    ...more,
  }) as unknown as PendingRequest;

test("requestText shows the whole input of a call, with hidden characters as their code points", () => {
  const text = requestText(
    call({ command: "a\nb \u202etxt", timeout: 5 }, { reason: "not allowed", blocked_path: "/x" }),
  );
  expect(text).toEqual({
    title: "wants to use Bash",
    body: "command:\na\nb [U+202E]txt\ntimeout: 5\nWhy it asks: not allowed\nOut of bounds: /x",
  });
});

test("requestText says how much of a long input it does not show", () => {
  const { body } = requestText(call({ command: "x".repeat(100) }), 50);
  expect(body).toBe(`command: ${"x".repeat(41)}…\n(59 more characters are not shown.)`);
});

test("requestText lists questions with their options, fields of a form, and a stored plan", () => {
  const options = [{ label: "Red", description: "warm" }, { label: "Blue" }];
  const questions = [{ question: "Colour?", options, multi: false }];
  expect(requestText({ type: "question", ...base, questions }).body).toBe(
    "Colour?\n- Red: warm\n- Blue",
  );
  const schema = { properties: { to: { type: "string", title: "Target" } } };
  const form = { type: "elicitation", ...base, server: "shop", message: "Where?", mode: "form" };
  expect(requestText({ ...form, schema } as unknown as PendingRequest).body).toBe(
    "Where?\n- Target (optional)",
  );
  const plan = { blob: "b", bytes: 300_000, preview: "First" };
  expect(requestText({ type: "plan", ...base, plan }).body).toBe("First… (300000 bytes)");
});

test("isDecidedByPolicy tells calls that a rule decides from those that wait for a person", () => {
  const decidedBy = (action: string) =>
    isDecidedByPolicy(call({}, { policy: { action, rule: "r" } }));
  expect([decidedBy("allow"), decidedBy("deny"), decidedBy("ask")]).toEqual([true, true, false]);
  expect(isDecidedByPolicy(call({}))).toBe(false);
});

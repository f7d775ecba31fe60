import { expect, test } from "vitest";
import type { SessionClient } from "../../client/core.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import { commandsFor, ownCommand } from "./own-commands.ts";

const at = "2026-01-01T00:00:00.000Z";

const approval = (request_id: string): PendingRequest => ({
  type: "approval_request",
  seq: 1,
  at,
  request_id,
  tool: "Bash",
  input: {},
  scopes: [{ scope: "once", label: "Yes" }],
});

const question = (request_id: string, ...texts: string[]): PendingRequest => {
  const options = [{ label: "Red" }, { label: "Blue" }];
  const questions = texts.map((each) => ({ question: each, options, multi: false }));
  return { type: "question", seq: 1, at, request_id, questions };
};

/** What such a line asks of the session, while these requests wait. */
async function asks(line: string, ...pending: (string | PendingRequest)[]): Promise<unknown[]> {
  const asked: unknown[] = [];
  const client = {
    approve: async (...given: unknown[]) => void asked.push("approve", ...given),
    deny: async (...given: unknown[]) => void asked.push("deny", ...given),
    answer: async (...given: unknown[]) => void asked.push("answer", ...given),
  } as unknown as SessionClient;
  await ownCommand(
    line,
    client,
    pending.map((each) => (typeof each === "string" ? approval(each) : each)),
  );
  return asked;
}

test("a command without an id answers the oldest request", async () => {
  expect(await asks("/approve", "r1", "r2")).toEqual(["approve", "r1", { scope: "once" }]);
  expect(await asks("/approve session", "r1")).toEqual(["approve", "r1", { scope: "session" }]);
  expect(await asks("/deny", "r1")).toEqual(["deny", "r1", {}]);
  const reason = "too wild for me";
  expect(await asks(`/deny ${reason}`, "r1")).toEqual(["deny", "r1", { reason }]);
  await expect(asks("/approve")).rejects.toMatchObject({ code: "unknown_request" });
  await expect(asks("/deny too wild")).rejects.toMatchObject({ code: "unknown_request" });
});

test("a command with an id answers that request and no other", async () => {
  expect(await asks("/approve r2 always", "r1", "r2")).toEqual([
    "approve",
    "r2",
    { scope: "always" },
  ]);
  expect(await asks("/deny r2 no", "r1", "r2")).toEqual(["deny", "r2", { reason: "no" }]);
  // Nothing is known of these here; the session knows whether they wait.
  expect(await asks("/approve foreign_7")).toEqual(["approve", "foreign_7", { scope: "once" }]);
  expect(await asks("/approve r9 session", "r1")).toEqual(["approve", "r9", { scope: "session" }]);
  expect(await asks("/deny foreign_7", "r1")).toEqual(["deny", "foreign_7", {}]);
  expect(await asks("/deny toolu_9 not now", "r1")).toEqual([
    "deny",
    "toolu_9",
    { reason: "not now" },
  ]);
});

test("a question is answered with a number or a text; the oldest when no id is given", async () => {
  const one = question("q1", "Which?");
  expect(await asks("/answer 2", "r1", one)).toEqual(["answer", "q1", { "Which?": "Blue" }]);
  expect(await asks("/answer q2 none; of these", one, question("q2", "Why?"))).toEqual([
    "answer",
    "q2",
    { "Why?": "none; of these" },
  ]);
  expect(await asks("/answer 1; my own words", question("q", "One?", "Two?"))).toEqual([
    "answer",
    "q",
    { "One?": "Red", "Two?": "my own words" },
  ]);
});

test.for([
  ["/answer 3", "invalid_params"],
  ["/answer", "invalid_params"],
  ["/answer toolu_9 1", "unknown_request"],
] as const)("'%s' answers nothing", async ([line, code]) => {
  await expect(asks(line, question("q", "Which?"))).rejects.toMatchObject({ code });
});

test("a request that is not a question is not answered", async () => {
  await expect(asks("/answer 1", "r1")).rejects.toMatchObject({ code: "unknown_request" });
});

test("a prompt lists only the commands that apply", () => {
  expect(commandsFor(approval("r"))).toBe("/approve r or /deny r");
  expect(commandsFor(question("q", "Which?"))).toBe("/answer q ANSWER or /deny q");
  expect(commandsFor(question("q", "One?", "Two?"))).toContain("/answer q ANSWER; ANSWER or");
  expect(commandsFor({ type: "plan", seq: 1, at, request_id: "p", plan: "" })).toContain(
    "/approve p or /deny p WHAT",
  );
});

test.for(["constructor of Foo throws, why?", "valueOf returns NaN", "/compact"])(
  "'%s' is a message",
  (line) => expect(ownCommand(line, {} as SessionClient, [])).toBeUndefined(),
);

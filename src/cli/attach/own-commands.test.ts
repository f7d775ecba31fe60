import { expect, test } from "vitest";
import type { SessionClient } from "../../client/core.ts";
import type { PendingRequest } from "../../wire/session/approval-events.ts";
import type { OwnContext, OwnOutcome } from "./own-commands.ts";
import { commandsFor, ownCommand } from "./own-commands.ts";
import { SearchPages } from "./search-pages.ts";

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

const nothing: OwnContext = {
  pending: [],
  queued: [],
  search: new SearchPages({} as SessionClient),
  hasInput: true,
};

/** What such a line asks of the session, while these requests wait. */
async function asks(line: string, ...pending: (string | PendingRequest)[]): Promise<unknown[]> {
  const asked: unknown[] = [];
  const client = {
    approve: async (...given: unknown[]) => void asked.push("approve", ...given),
    deny: async (...given: unknown[]) => void asked.push("deny", ...given),
    answer: async (...given: unknown[]) => void asked.push("answer", ...given),
    rename: async (...given: unknown[]) => void asked.push("rename", ...given),
  } as unknown as SessionClient;
  await ownCommand(line, client, {
    ...nothing,
    pending: pending.map((each) => (typeof each === "string" ? approval(each) : each)),
  });
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

test("/rename takes the rest of its line as the title", async () => {
  expect(await asks("/rename The  parser")).toEqual(["rename", "The parser"]);
  await expect(asks("/rename")).rejects.toMatchObject({ code: "invalid_params" });
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
  (line) => expect(ownCommand(line, {} as SessionClient, nothing)).toBeUndefined(),
);

/** A session in which these messages wait, and what it is asked to drop. */
function withQueue(outcome: "dropped" | "too_late", ...texts: (string | undefined)[]) {
  const dropped: string[] = [];
  const client = {
    drop: async (id: string) => {
      dropped.push(id);
      return outcome;
    },
  } as unknown as SessionClient;
  const queued = texts.map((text, index) => ({ id: `m${index + 1}`, text }));
  const run = (line: string, more: Partial<OwnContext> = {}): Promise<OwnOutcome> | undefined =>
    ownCommand(line, client, { ...nothing, queued, ...more });
  return { dropped, run };
}

test("/queue numbers the messages that wait, and /drop takes back one of them", async () => {
  const { dropped, run } = withQueue("dropped", "first\nline", "second", undefined);
  expect(await run("/queue")).toEqual({ tell: "1  first …\n2  second\n3  (more than a text)" });
  expect(await run("/drop 2")).toBeUndefined();
  expect(dropped).toEqual(["m2"]);
  for (const line of ["/drop", "/drop 4", "/drop 0", "/drop x", "/edit 1.5"]) {
    await expect(run(line)).rejects.toMatchObject({ code: "invalid_params" });
  }
  expect(dropped).toEqual(["m2"]);
  await expect(withQueue("dropped").run("/drop")).rejects.toThrow("No message waits.");
  expect(await withQueue("dropped").run("/queue")).toEqual({ tell: "No message waits." });
});

test("/edit takes back a message and returns its text, unless it is too late or cannot be edited", async () => {
  const one = withQueue("dropped", "some words");
  expect(await one.run("/edit")).toEqual({ edit: "some words" });
  expect(one.dropped).toEqual(["m1"]);
  const late = withQueue("too_late", "some words");
  expect(await late.run("/edit 1")).toMatchObject({ tell: expect.stringContaining("Too late") });
  expect(await late.run("/drop 1")).toMatchObject({ tell: expect.stringContaining("Too late") });
  // What cannot be put back is not dropped.
  const other = withQueue("dropped", undefined, "text");
  await expect(other.run("/edit 1")).rejects.toMatchObject({ code: "invalid_params" });
  await expect(other.run("/edit 2", { hasInput: false })).rejects.toThrow("cannot be changed here");
  expect(other.dropped).toEqual([]);
});

const hits = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({
    seq: from - n,
    type: n % 2 === 0 ? "text_delta" : "user_message",
    preview: `place\n${from - n}`,
  }));

test("/find shows ten places at a time, the newest last, and goes on through a long log", async () => {
  const asked: unknown[] = [];
  const pages = [
    { hits: [], more: true, before: 900 },
    { hits: hits(800, 10), more: true, before: 791 },
    { hits: hits(700, 1), more: false },
  ];
  const search = new SearchPages({
    search: async (...given: unknown[]) => {
      asked.push(given);
      return { type: "found", ...(pages.shift() ?? { hits: [], more: false }) };
    },
  } as unknown as SessionClient);
  const find = async (line: string) => {
    const outcome = await ownCommand(line, {} as SessionClient, { ...nothing, search });
    return typeof outcome === "object" && "tell" in outcome ? outcome.tell.split("\n") : [];
  };
  const first = await find("/find two  words");
  expect(first).toHaveLength(11);
  expect([first[0], first[1], first[10]]).toEqual([
    "… /find shows older ones",
    "message: place 791",
    "model: place 800",
  ]);
  expect(await find("/find")).toEqual(["model: place 700"]);
  expect(asked).toEqual([
    ["two  words", { limit: 10 }],
    ["two  words", { limit: 10, before: 900 }],
    ["two  words", { limit: 10, before: 791 }],
  ]);
  await expect(find("/find")).rejects.toMatchObject({ code: "invalid_params" });
  expect(await find("/find nowhere")).toEqual(['"nowhere" is not in the log.']);
});

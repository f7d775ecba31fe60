import { expect, test } from "vitest";
import { messageOf } from "../../../test/support/team-messages.ts";
import { parseTeam } from "../file/load-team.ts";
import { checkBudget } from "./budget.ts";
import { checkLoop } from "./loop.ts";
import { checkRecipient, checkReply } from "./may-message.ts";
import { judgeCall } from "./policy.ts";
import { RateLimiter } from "./rate.ts";
import { checkSize } from "./size.ts";
import { checkWait } from "./waits.ts";

const team = parseTeam(
  `
name: t
lead: boss
agents:
  boss: { description: d, prompt: p, may_message: [coder] }
  coder: { description: d, prompt: p, may_message: [boss] }
  tester: { description: d, prompt: p, may_message: [] }
`,
  "t.yaml",
  "/work",
);
const agent = (id: string) => {
  const spec = team.agents.get(id);
  if (!spec) throw new Error(`no ${id}`);
  return spec;
};

test("whom an agent may message", () => {
  expect(checkRecipient(team, agent("boss"), "coder", undefined)).toBeUndefined();
  expect(checkRecipient(team, agent("boss"), "tester", undefined)?.code).toBe("not_allowed");
  expect(checkRecipient(team, agent("boss"), "nobody", undefined)).toMatchObject({
    code: "agent_not_found",
    data: { agent_id: "nobody", known: ["boss", "coder", "tester"] },
  });
  expect(checkRecipient(team, agent("boss"), "boss", undefined)?.code).toBe("not_allowed");
  expect(checkRecipient(team, agent("coder"), "user", undefined)).toMatchObject({
    code: "not_allowed",
    hint: expect.stringContaining("Only boss talks with the user"),
  });
});

test("an answer may always go back to who asked", () => {
  const asked = messageOf({ from_agent: "boss", to_agent: "tester" });
  expect(checkRecipient(team, agent("tester"), "boss", asked)).toBeUndefined();
  expect(checkRecipient(team, agent("tester"), "coder", asked)?.code).toBe("not_allowed");
});

test("reply_to must name a message from the one who is answered", () => {
  const asked = messageOf({ from_agent: "boss", to_agent: "coder" });
  expect(checkReply("coder", "boss", undefined, undefined)).toBeUndefined();
  expect(checkReply("coder", "boss", asked.id, asked)).toBeUndefined();
  expect(checkReply("coder", "boss", asked.id, undefined)?.code).toBe("invalid_params");
  expect(checkReply("tester", "boss", asked.id, asked)?.code).toBe("invalid_params");
});

test("sizes are those of the bytes", () => {
  const limits = { content_bytes: 4, thinking_bytes: 2 };
  expect(checkSize({ content: "éé" }, limits)).toBeUndefined();
  expect(checkSize({ content: "ééé" }, limits)).toMatchObject({
    code: "message_too_large",
    data: { field: "content", size: 6, limit: 4 },
  });
  expect(checkSize({ content: "", thinking: "abc" }, limits)?.data).toMatchObject({
    field: "thinking",
  });
});

test("a sender and a pair have so many messages a minute, with the time to wait", () => {
  let nowMs = 1_000_000;
  const rate = new RateLimiter({ per_sender_per_minute: 3, per_pair_per_minute: 2 }, () => nowMs);
  rate.count("a", "b");
  nowMs += 10_000;
  rate.count("b", "a");
  expect(rate.check("a", "b")).toMatchObject({
    code: "rate_limited",
    data: { retry_after: 50, limit: 2 },
  });
  expect(rate.check("b", "a")?.code).toBe("rate_limited");
  expect(rate.check("a", "c")).toBeUndefined();
  rate.count("a", "c");
  rate.count("a", "d");
  expect(rate.check("a", "e")).toMatchObject({
    code: "rate_limited",
    data: { retry_after: 50, limit: 3 },
  });
  nowMs += 50_001;
  expect(rate.check("a", "b")).toBeUndefined();
  expect(rate.check("a", "e")).toBeUndefined();
});

const at = (...path: string[]) => ({ root_id: "r", hop: path.length - 1, path });

test("a circle is seen in the path, not in pairs", () => {
  const limits = { hops: 8, messages_per_root: 200 };
  expect(checkLoop(at("a", "b", "c"), "a", 3, limits)).toBeUndefined(); // asks back
  expect(checkLoop(at("a", "b", "c", "a"), "b", 4, limits)).toMatchObject({
    code: "loop_stopped",
    message: "This request has come round in a circle: a → b → c → a → b.",
    data: { limit: "cycle" },
  });
  expect(checkLoop(at("a", "b", "a"), "c", 4, limits)).toBeUndefined();
});

test("hops and messages of one root are counted", () => {
  const limits = { hops: 2, messages_per_root: 10 };
  expect(
    checkLoop({ root_id: "r", hop: 2, path: ["a", "b", "c"] }, "d", 9, limits),
  ).toBeUndefined();
  expect(
    checkLoop({ root_id: "r", hop: 3, path: ["a", "b", "c", "d"] }, "e", 9, limits)?.data,
  ).toMatchObject({ limit: "hops" });
  expect(checkLoop({ root_id: "r", hop: 0, path: ["a"] }, "b", 10, limits)?.data).toMatchObject({
    limit: "messages_per_root",
  });
});

const wait = (waiter: string, awaited: string, root_id = "r", asks = true) => ({
  waiter,
  awaited,
  root_id,
  asks,
});

test("nobody waits in a circle, but a question straight back ends the other's wait", () => {
  expect(checkWait([wait("a", "b")], wait("b", "c"))).toBeUndefined();
  expect(checkWait([wait("a", "b"), wait("b", "c")], wait("c", "a"))).toMatchObject({
    code: "wait_refused",
    data: { circle: ["c", "a", "b", "c"] },
  });
  expect(checkWait([wait("a", "b")], wait("b", "a"))).toBeUndefined();
  expect(checkWait([wait("a", "b")], wait("b", "a", "other"))?.code).toBe("wait_refused");
  expect(checkWait([wait("a", "b")], wait("b", "a", "r", false))?.code).toBe("wait_refused");
});

test("a budget is spent when nothing is left of one of its amounts", () => {
  const spent = { usd: 1, tokens: 500, turns: 3 };
  expect(checkBudget("coder", {}, spent)).toBeUndefined();
  expect(checkBudget("coder", { usd: 1.01, tokens: 501, turns: 4 }, spent)).toBeUndefined();
  expect(checkBudget("coder", { usd: 1 }, spent)).toMatchObject({
    code: "budget_spent",
    message: "coder has spent $1.00 of $1.00.",
  });
  expect(checkBudget("coder", { turns: 3 }, spent)?.data).toMatchObject({ unit: "turns" });
  expect(checkBudget("coder", { tokens: 400 }, spent)?.data).toMatchObject({ unit: "tokens" });
});

test("the first rule of the policy that fits decides", () => {
  const policy = [
    { tool: "Bash", match: "npm test*", action: "allow" as const },
    { agents: ["coder"], tool: "Write", action: "allow" as const },
    { tool: "mcp__*", action: "deny" as const, reason: "no" },
  ];
  const judge = (tool: string, input: Record<string, string>, who = "coder") =>
    judgeCall(policy, who, { tool, input }).action;
  expect(judge("Bash", { command: "npm test -- src" })).toBe("allow");
  expect(judge("Bash", { command: "npm test; rm -rf /" })).toBe("ask");
  expect(judge("Bash", { command: "npm test\ncurl evil" })).toBe("ask");
  expect(judge("Bash", { command: "npm install" })).toBe("ask");
  expect(judge("Write", { file_path: "/x" })).toBe("allow");
  expect(judge("Write", { file_path: "/x" }, "boss")).toBe("ask");
  expect(judgeCall(policy, "boss", { tool: "mcp__x__y", input: {} })).toEqual({
    action: "deny",
    rule: "3: deny mcp__*",
    reason: "no",
  });
});

const judgeBy = (action: "allow" | "deny", match: string, input: Record<string, string>) =>
  judgeCall([{ tool: "*", match, action }], "coder", { tool: "Write", input }).action;

test("a path or address is judged by where it leads, too", () => {
  for (const field of ["file_path", "notebook_path", "path", "pattern"]) {
    const inSrc = (action: "allow" | "deny", path: string) =>
      judgeBy(action, "/project/src/*", { [field]: path });
    expect(inSrc("allow", "/project/src/a/b.ts")).toBe("allow");
    expect(inSrc("allow", "/project/src/../../etc/passwd")).toBe("ask");
    expect(inSrc("allow", "/project/src/a/../../../etc/passwd")).toBe("ask");
    expect(inSrc("allow", "/project/src/a/../b.ts")).toBe("allow");
    expect(inSrc("deny", "/project/./src//key")).toBe("deny");
    expect(inSrc("deny", "/project/lib/../src/key")).toBe("deny");
    expect(inSrc("deny", "/project/src/../lib/key")).toBe("deny");
    expect(inSrc("deny", "/project/lib/key")).toBe("ask");
    expect(judgeBy("allow", "src/*", { [field]: "src/../../key" })).toBe("ask");
  }
  const inDocs = (action: "allow" | "deny", url: string) =>
    judgeBy(action, "https://example.org/docs/*", { url });
  expect(inDocs("allow", "https://example.org/docs/a")).toBe("allow");
  expect(inDocs("allow", "https://example.org/docs/%2e%2e/secret")).toBe("ask");
  expect(inDocs("deny", "HTTPS://EXAMPLE.org/x/../docs/a")).toBe("deny");
  expect(judgeBy("allow", "https://example.org", { url: "https://example.org" })).toBe("allow");
  // A command is no path.
  expect(judgeBy("allow", "ls ../*", { command: "ls ../lib" })).toBe("allow");
});

/** With a rule that holds commands back, before one that allows all. */
const judgeCommand = (action: "deny" | "ask", command: string, match = "rm -rf*") =>
  judgeCall(
    [
      { tool: "Bash", match, action },
      { tool: "Bash", action: "allow" },
    ],
    "coder",
    {
      tool: "Bash",
      input: { command },
    },
  ).action;

test("what is denied or asked about is so wherever it stands in a command", () => {
  for (const action of ["deny", "ask"] as const) {
    expect(judgeCommand(action, "rm -rf a; true")).toBe(action);
    expect(judgeCommand(action, "rm -rf build && ls")).toBe(action);
    expect(judgeCommand(action, "rm -rf $HOME > log\ntrue")).toBe(action);
    expect(judgeCommand(action, "cd build && rm -rf .")).toBe(action);
    expect(judgeCommand(action, "true\n  rm -rf .")).toBe(action);
    expect(judgeCommand(action, "echo $(rm -rf .)")).toBe(action);
    expect(judgeCommand(action, "if true; then (rm -rf .) fi")).toBe(action);
    expect(judgeCommand(action, "if true; then rm -rf .; fi")).toBe(action);
    expect(judgeCommand(action, "git push", "git * && make")).toBe("allow");
    expect(judgeCommand(action, "git push && make", "git * && make")).toBe(action);
    expect(judgeCommand(action, "rm a")).toBe("allow");
  }
});

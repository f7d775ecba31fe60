import { expect, test } from "vitest";
import { messageOf } from "../../../test/support/team-messages.ts";
import { parseTeam } from "../file/load-team.ts";
import { checkBudget } from "./check-budget.ts";
import { checkLoop } from "./check-loop.ts";
import { checkRecipient, checkReply } from "./may-message.ts";
import { policyMark, policyOf } from "./policy-of-agent.ts";
import { shutOutTools } from "./policy-blocks-team-tools.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { checkSize } from "./check-size.ts";
import { checkWait } from "./check-wait-cycle.ts";

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

test("checkRecipient allows only the agents that the team file lists", () => {
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

test("checkRecipient always allows an answer to the asker", () => {
  const asked = messageOf({ from_agent: "boss", to_agent: "tester" });
  expect(checkRecipient(team, agent("tester"), "boss", asked)).toBeUndefined();
  expect(checkRecipient(team, agent("tester"), "coder", asked)?.code).toBe("not_allowed");
});

test("checkReply requires reply_to to name a message from the recipient", () => {
  const asked = messageOf({ from_agent: "boss", to_agent: "coder" });
  expect(checkReply("coder", "boss", undefined, undefined)).toBeUndefined();
  expect(checkReply("coder", "boss", asked.id, asked)).toBeUndefined();
  expect(checkReply("coder", "boss", asked.id, undefined)?.code).toBe("invalid_params");
  expect(checkReply("tester", "boss", asked.id, asked)?.code).toBe("invalid_params");
});

test("checkSize counts bytes", () => {
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

test("RateLimiter limits messages per minute of a sender and of a pair, and says how long to wait", () => {
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

test("checkLoop finds a circle in the path of a message, not between pairs", () => {
  const limits = { hops: 8, messages_per_root: 200 };
  expect(checkLoop(at("a", "b", "c"), "a", 3, limits)).toBeUndefined(); // asks back
  expect(checkLoop(at("a", "b", "c", "a"), "b", 4, limits)).toMatchObject({
    code: "loop_stopped",
    message: "This request has come round in a circle: a → b → c → a → b.",
    data: { limit: "cycle" },
  });
  expect(checkLoop(at("a", "b", "a"), "c", 4, limits)).toBeUndefined();
});

test("checkLoop counts hops and messages of one root", () => {
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

test("checkWait refuses a circle, but a question straight back ends the other's wait", () => {
  expect(checkWait([wait("a", "b")], wait("b", "c"))).toBeUndefined();
  expect(checkWait([wait("a", "b"), wait("b", "c")], wait("c", "a"))).toMatchObject({
    code: "wait_refused",
    data: { circle: ["c", "a", "b", "c"] },
  });
  expect(checkWait([wait("a", "b")], wait("b", "a"))).toBeUndefined();
  expect(checkWait([wait("a", "b")], wait("b", "a", "other"))?.code).toBe("wait_refused");
  expect(checkWait([wait("a", "b")], wait("b", "a", "r", false))?.code).toBe("wait_refused");
});

test("checkBudget refuses when nothing is left of one of the amounts", () => {
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

test("policyOf returns the rules that name the agent or no agent, by their numbers in the file", () => {
  const policy = [
    { agents: ["tester"], tool: "Bash", match: "npm test*", action: "allow" as const },
    { tool: "mcp__*", action: "deny" as const, reason: "no" },
  ];
  expect(policyOf(policy, "coder", "/work")).toEqual([
    { tool: "mcp__*", action: "deny", reason: "no", name: "2: deny mcp__*" },
  ]);
  expect(policyOf(policy, "tester", "/work").map(({ name }) => name)).toEqual([
    "1: allow Bash(npm test*)",
    "2: deny mcp__*",
  ]);
});

test("policyOf replaces $WORKDIR by the agent's directory, and keeps the rule's name in the file", () => {
  const policy = [{ tool: "Write", match: "$WORKDIR/*", action: "allow" as const }];
  const [rule] = policyOf(policy, "coder", "/work/$&/coder");
  expect(rule).toMatchObject({ match: "/work/$&/coder/*", name: "1: allow Write($WORKDIR/*)" });
  const elsewhere = [{ tool: "Write", match: "/x/$WORKDIR/*", action: "allow" as const }];
  expect(policyOf(elsewhere, "coder", "/work")[0]?.match).toBe("/x/$WORKDIR/*");
});

test("policyOf refuses $WORKDIR when the directory has a * in its name", () => {
  const policy = [{ tool: "Write", match: "$WORKDIR/*", action: "allow" as const }];
  expect(() => policyOf(policy, "coder", "/work/a*b")).toThrow(
    expect.objectContaining({ code: "team_invalid" }),
  );
  const plain = [{ tool: "Write", match: "/tmp/*", action: "allow" as const }];
  expect(policyOf(plain, "coder", "/work/a*b")).toHaveLength(1);
});

test("policyMark tells policies apart, and no policy is the empty mark", () => {
  const deny = policyOf([{ tool: "Bash", action: "deny" }], "coder", "/work");
  const ask = policyOf([{ tool: "Bash", action: "ask" }], "coder", "/work");
  expect(policyMark([])).toBe("");
  expect(policyMark(deny)).toBe(policyMark([...deny]));
  expect(policyMark(deny)).not.toBe(policyMark(ask));
});

test("shutOutTools finds rules that hold the team's tools back without naming them", () => {
  const deny = { tool: "mcp__*", action: "deny" as const };
  const agents = ["boss", "coder"];
  const found = shutOutTools([{ ...deny, agents: ["coder"] }], agents, [
    "send_message",
    "list_agents",
  ]);
  expect(found).toEqual([
    {
      agent: "coder",
      action: "deny",
      rule: "1: deny mcp__*",
      tools: ["send_message", "list_agents"],
    },
  ]);
  const named = { tool: "mcp__team__*", action: "allow" as const };
  expect(shutOutTools([named, deny], agents, ["send_message"])).toEqual([]);
  expect(shutOutTools([{ ...named, action: "deny" }], agents, ["send_message"])).toEqual([]);
  expect(shutOutTools([], agents, ["send_message"])).toEqual([]);
});

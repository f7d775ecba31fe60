import { expect, test } from "vitest";
import type { TeamEvent } from "../../src/wire/team-events.ts";
import { roleRule, TeamStage } from "../support/team-stage.ts";

const team = `
name: loops
lead: a
limits: { messages_per_root: 12 }
agents:
  a: { description: first, prompt: You are a. }
  b: { description: second, prompt: You are b. }
  c: { description: third, prompt: You are c. }
`;

const send = (to: string, content: string): string =>
  `tools: [{ name: mcp__team__send_message, input: { to: ${to}, content: '${content}' } }]`;

// A triangle that never repeats a pair in a row, and two agents that thank each other for ever.
const script = `
rules:${roleRule}
  - when: { tool_result: { is_error: true } }
    text: I stop here.
  - when: { agent: a, user: triangle }
    ${send("b", "pass it on")}
  - when: { agent: a, peer: pass it on }
    ${send("b", "pass it on")}
  - when: { agent: b, peer: pass it on }
    ${send("c", "pass it on")}
  - when: { agent: c, peer: pass it on }
    ${send("a", "pass it on")}
  - when: { agent: a, user: be polite }
    ${send("b", "thank you")}
  - when: { agent: a, peer: you are welcome }
    ${send("b", "thank you")}
  - when: { agent: b, peer: thank you }
    text: you are welcome
default: { text: Very well. }
`;

const refusals = (events: readonly TeamEvent[]) =>
  events.flatMap((event) => (event.type === "refused" ? [event] : []));

test("agents that go round in circles, or thank each other for ever, are stopped and told", async () => {
  const stage = new TeamStage(team, script);
  const { code, out, err } = await stage.run(
    "simulate",
    stage.teamFile,
    stage.scriptFile,
    "--allow-refusals",
    "--json",
    "--send",
    "triangle",
    "--send",
    "be polite",
  );
  expect(err).toBe("");
  expect(code).toBe(0);
  const events = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as TeamEvent);
  const limits = refusals(events).map(({ error }) => error.data?.["limit"]);
  expect(limits).toEqual(["cycle", "messages_per_root"]);
  const sent = events.filter((event) => event.type === "message_sent");
  // The circle is closed at the fourth step; the politeness has its dozen, and the one answer that was due.
  expect(sent.length).toBeLessThanOrEqual(8 + 13);
  expect(stage.processes()).toEqual([]);
});

test("the shipped five roles write and test a program on their shipped script", async () => {
  const stage = new TeamStage(team, script);
  const { code, err } = await stage.run(
    "simulate",
    `${process.cwd()}/examples/teams/five-roles.yaml`,
    `${process.cwd()}/examples/rehearsal/five-roles.yaml`,
    "--send",
    "a small program",
    "--expect",
    "2 tests passed, none failed",
  );
  expect(err).toBe("");
  expect(code).toBe(0);
  expect(stage.processes()).toEqual([]);
});

import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { TeamEvent } from "../../wire/team/events.ts";
import type { PolicyVerdict } from "../../policy/judge-call.ts";
import { TimelineLines } from "./timeline-line.ts";

/** A call of the tool, from the question to what was decided. */
const events = (tool: string, by: string, policy?: PolicyVerdict): TeamEvent[] =>
  [
    {
      type: "approval_requested",
      request: { type: "approval_request", tool, input: {}, ...(policy && { policy }) },
    },
    { type: "agent_state", state: "waiting" },
    { type: "approval_resolved", outcome: "allowed", by },
    { type: "agent_state", state: "working" },
  ].map((event) => ({ ...event, agent: "coder", at: "2026-01-01T00:00:00Z" }) as TeamEvent);

/** What is told, without time and name. */
const told = (tool: string, by: string, policy?: PolicyVerdict, lines = newLines()): string[] =>
  events(tool, by, policy)
    .flatMap((event) => lines.lineOf(event) ?? [])
    .map((line) => stripVTControlCharacters(line).slice("00:00:00 ".length + 21));

const newLines = (): TimelineLines => new TimelineLines(process.stdout);

test("a call that the policy decides is one line with the decision; any other is a question", () => {
  const lines = newLines();
  const allow = { action: "allow", rule: "1: allow Write" } as const;
  expect(told("Write", "policy", allow, lines)).toEqual(["allowed by policy"]);
  expect(told("Bash", "me", undefined, lines)).toEqual([
    expect.stringContaining("? Bash"),
    "waiting",
    "allowed by me",
    "working",
  ]);
});

test("a call that the policy leaves to a person is shown as a question", () => {
  expect(told("Write", "me", { action: "ask", rule: "1: ask Write" })).toHaveLength(4);
});

test("a call that was edited before it was allowed is shown as it ran", () => {
  const line = newLines().lineOf({
    type: "approval_resolved",
    seq: 1,
    at: "2026-01-01T00:00:00Z",
    agent: "coder",
    request_id: "toolu_1",
    outcome: "allowed",
    by: "anna",
    changed: { tool: "Bash", asked: "rm a.txt", ran: "echo would" },
  });
  expect(stripVTControlCharacters(line ?? "")).toContain(
    "allowed by anna, changed: Bash echo would ran in place of rm a.txt",
  );
});

test("a warning is shown whole, with its hint on a line of its own", () => {
  const message = `The policy shuts out ${"a tool, ".repeat(30)}and one more.`;
  const hint = "Put an allow rule before it.";
  const event = { type: "notice", level: "warn", message, hint, at: "2026-01-01T00:00:00Z" };
  const line = stripVTControlCharacters(newLines().lineOf(event as TeamEvent) ?? "");
  expect(line).toContain(`! ${message}\n`);
  expect(line.split("\n")[1]?.trim()).toBe(hint);
});

import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import type { TeamEvent } from "../../wire/team-events.ts";
import { TimelineLines } from "./timeline-line.ts";

const policy = [{ tool: "Write", action: "allow" as const }];

/** A call of the tool, from the question to what was decided. */
const events = (tool: string, by: string): TeamEvent[] =>
  [
    { type: "approval_requested", request: { type: "approval_request", tool, input: {} } },
    { type: "agent_state", state: "waiting" },
    { type: "approval_resolved", outcome: "allowed", by },
    { type: "agent_state", state: "working" },
  ].map((event) => ({ ...event, agent: "coder", at: "2026-01-01T00:00:00Z" }) as TeamEvent);

/** What is told, without time and name. */
const told = (lines: TimelineLines, tool: string, by: string): string[] =>
  events(tool, by)
    .flatMap((event) => lines.lineOf(event) ?? [])
    .map((line) => stripVTControlCharacters(line).slice("00:00:00 ".length + 21));

test("a call on which the policy decides is told by its decision alone, any other as a question", () => {
  const lines = new TimelineLines(process.stdout, policy);
  expect(told(lines, "Write", "policy")).toEqual(["allowed by policy"]);
  expect(told(lines, "Bash", "me")).toEqual([
    expect.stringContaining("? Bash"),
    "waiting",
    "allowed by me",
    "working",
  ]);
});

test("where the policy is not known, every question is told", () => {
  expect(told(new TimelineLines(process.stdout), "Write", "policy")).toHaveLength(4);
});

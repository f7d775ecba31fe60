import { expect, test } from "vitest";
import type { TeamReader } from "../../team/core.ts";
import type { TeamEvent } from "../../wire/team/events.ts";
import { decisionTable, newestDecisions } from "./decisions.ts";

const at = "2026-01-01T00:00:00Z";

const asked = (seq: number, id: string, command: string): TeamEvent => ({
  type: "approval_requested",
  seq,
  at,
  agent: "coder",
  request: { type: "approval_request", request_id: id, tool: "Bash", input: { command } } as never,
});

const resolved = (seq: number, id: string, more: object = {}): TeamEvent => ({
  type: "approval_resolved",
  seq,
  at,
  agent: "coder",
  request_id: id,
  outcome: "allowed",
  by: "anna",
  ...more,
});

/** A team whose timeline comes in pages of one event. */
function teamWith(events: readonly TeamEvent[]): TeamReader {
  const request = async (_method: string, { before = events.length + 1 }: { before?: number }) => ({
    events: events.filter(({ seq }) => seq === before - 1),
    before: before - 1,
    more: before > 2,
  });
  return { request } as unknown as TeamReader;
}

const changed = { changed: { tool: "Bash", asked: "rm a.txt", ran: "echo would" } };

test("newestDecisions gives each decision its request, whatever page that is on", async () => {
  const team = teamWith([
    asked(1, "one", "ls"),
    asked(2, "two", "rm a.txt"),
    resolved(3, "one"),
    resolved(4, "two", changed),
    asked(5, "three", "pwd"),
  ]);
  const found = await newestDecisions(team);
  expect(found.map(({ seq, request }) => [seq, request?.request_id])).toEqual([
    [3, "one"],
    [4, "two"],
  ]);
  expect(await newestDecisions(team, 1)).toMatchObject([
    { seq: 4, request: { request_id: "two" } },
  ]);
  expect(await newestDecisions(teamWith([resolved(1, "gone")]))).toHaveLength(1);
});

test("decisionTable shows a call that was changed as what ran, and any other as what was asked", async () => {
  const team = teamWith([
    asked(1, "one", "ls"),
    resolved(2, "one", { by: "policy", rule: "1: allow Bash" }),
    asked(3, "two", "rm a.txt"),
    resolved(4, "two", changed),
  ]);
  const [, first, second] = decisionTable(await newestDecisions(team), 100).split("\n");
  expect(first).toMatch(/^one +coder .* allowed by policy 1: allow Bash +Bash ls$/);
  expect(second).toMatch(/^two .* allowed by anna +Bash echo would \(changed; asked: rm a\.txt\)$/);
});

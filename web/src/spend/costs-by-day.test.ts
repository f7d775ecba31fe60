import type { TeamEventOf } from "agent-switchboard/wire";
import { expect, test } from "vitest";
import { costsByDay } from "./costs-by-day.ts";

const ended = (time: Date, agent: string, cost_usd: number): TeamEventOf<"turn_ended"> => ({
  type: "turn_ended",
  agent,
  turn_id: "t",
  messages: [],
  stop_reason: "completed",
  cost_usd,
  tokens: 10,
  duration_ms: 1,
  seq: 1,
  at: time.toISOString(),
});

test("costs are summed by the person's own day and by agent", () => {
  const days = costsByDay([
    ended(new Date(2026, 10, 18, 0, 1), "a", 0.5),
    ended(new Date(2026, 10, 17, 23, 59), "a", 1),
    ended(new Date(2026, 10, 18, 12, 0), "b", 0.25),
    ended(new Date(2026, 10, 18, 13, 0), "a", 0.25),
  ]);
  expect(days).toEqual([
    { day: "2026-11-17", byAgent: new Map([["a", 1]]), usd: 1, tokens: 10, turns: 1 },
    {
      day: "2026-11-18",
      byAgent: new Map([
        ["a", 0.75],
        ["b", 0.25],
      ]),
      usd: 1,
      tokens: 30,
      turns: 3,
    },
  ]);
});

test("costs of an agent that is called as what every object has are numbers", () => {
  const [day] = costsByDay([
    ended(new Date(2026, 10, 18, 12, 0), "constructor", 0.25),
    ended(new Date(2026, 10, 18, 13, 0), "constructor", 0.5),
  ]);
  expect(day?.byAgent).toEqual(new Map([["constructor", 0.75]]));
});

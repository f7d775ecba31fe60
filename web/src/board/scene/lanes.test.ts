import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Lanes } from "./lanes.ts";
import type { Draft } from "../../../../test/support/random-timelines.ts";
import {
  sent,
  START,
  started,
  timelineOf,
  timelines,
} from "../../../../test/support/random-timelines.ts";

const fold = (drafts: readonly Draft[]): Lanes => {
  const lanes = new Lanes();
  for (const event of timelineOf(drafts)) lanes.apply(event);
  return lanes;
};

const moved = (step: "pushed" | "seen" | "done" | "dead", reason?: string): Draft => ({
  type: "message_moved",
  id: "m1",
  from_agent: "a",
  to_agent: "b",
  step,
  ...(reason !== undefined && { reason }),
});
const turnStarted: Draft = {
  type: "turn_started",
  agent: "b",
  turn_id: "t9",
  session_seq: 9,
  messages: ["m1"],
};
const turnEnded: Draft = {
  type: "turn_ended",
  agent: "b",
  turn_id: "t9",
  messages: ["m1"],
  stop_reason: "completed",
  cost_usd: 0.25,
  tokens: 1,
  duration_ms: 1,
};

test("a message goes from when it was sent to when it was seen, and leads to its turn", () => {
  const lanes = fold([sent("m1", "a", "b"), moved("pushed"), moved("seen"), turnStarted]);
  expect(lanes.flights.get("m1")).toMatchObject({
    from: "a",
    to: "b",
    sentAt: START,
    seenAt: START + 2000,
    endedAt: undefined,
    step: "seen",
    turn: { agent: "b", id: "t9", sessionSeq: 9 },
  });
  const later = fold([sent("m1", "a", "b"), moved("seen"), turnStarted, turnEnded, moved("done")]);
  expect(later.flights.get("m1")).toMatchObject({ seenAt: START + 1000, endedAt: START + 4000 });
  expect([...later.turns.values()]).toMatchObject([
    { agent: "b", id: "t9", from: START + 2000, to: START + 3000, costUsd: 0.25 },
  ]);
});

test("a message that died says why, and was never seen", () => {
  const flight = fold([sent("m1", "a", "b"), moved("dead", "ttl")]).flights.get("m1");
  expect(flight).toMatchObject({ step: "dead", why: "ttl", seenAt: undefined });
});

const wait: Draft = {
  type: "approval_requested",
  agent: "b",
  request: {
    type: "question",
    seq: 1,
    turn_id: "t9",
    at: new Date(START).toISOString(),
    request_id: "q",
    questions: [],
  },
};

test("a wait for a person ends when somebody has decided, while its turn goes on", () => {
  const decided: Draft = {
    type: "approval_resolved",
    agent: "b",
    request_id: "q",
    outcome: "answered",
    by: "anna",
  };
  const lanes = fold([turnStarted, wait, decided]);
  expect(lanes.waits.get("q")).toMatchObject({
    from: START + 1000,
    to: START + 2000,
    outcome: "answered",
  });
  expect([...lanes.turns.values()]).toMatchObject([{ to: undefined }]);
});

test("the end of a process ends its turns and what they waited for", () => {
  const lost: Draft = { type: "agent_state", agent: "b", state: "restarting" };
  const lanes = fold([turnStarted, wait, lost]);
  expect([...lanes.turns.values()]).toMatchObject([{ to: START + 2000, stopReason: "restarting" }]);
  expect(lanes.waits.get("q")).toMatchObject({ to: START + 2000, outcome: "aborted" });
  const again = fold([turnStarted, wait, started(["b"])]);
  expect([...again.turns.values()]).toMatchObject([{ to: START + 2000 }]);
});

test("a call is a tick, and a failed one says so", () => {
  const call: Draft = {
    type: "tool_called",
    agent: "b",
    request_id: "r",
    tool: "Bash",
    summary: "npm  test\nnow",
  };
  const failed: Draft = {
    type: "tool_ended",
    agent: "b",
    request_id: "r",
    is_error: true,
    summary: "",
  };
  const lanes = fold([turnStarted, call, failed]);
  expect([...lanes.ticks.values()]).toMatchObject([
    { agent: "b", kind: "failed", words: "Bash npm test now" },
  ]);
  expect([...lanes.turns.values()]).toMatchObject([{ tools: 1 }]);
});

const wordsOf = (lanes: Lanes) =>
  [lanes.turns, lanes.waits, lanes.flights, lanes.ticks].map((each) => [...each]);

test("folded in pieces, each on a copy of the one before, is folded at once; copies keep what they had", () => {
  fc.assert(
    fc.property(timelines(300), fc.array(fc.nat(300), { maxLength: 5 }), (events, cuts) => {
      const whole = new Lanes();
      for (const event of events) whole.apply(event);
      let part = new Lanes();
      const earlier: { lanes: Lanes; words: unknown }[] = [];
      for (const [index, event] of events.entries()) {
        if (cuts.includes(index)) {
          earlier.push({ lanes: part, words: structuredClone(wordsOf(part)) });
          part = new Lanes(part);
        }
        part.apply(event);
      }
      expect(wordsOf(part)).toEqual(wordsOf(whole));
      for (const { lanes, words } of earlier) expect(wordsOf(lanes)).toEqual(words);
    }),
  );
});

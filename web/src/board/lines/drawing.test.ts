import { expect, test } from "vitest";
import { Lanes, USER } from "../scene/lanes.ts";
import type { Draft } from "../../../../test/support/random-timelines.ts";
import { sent, START, started, timelineOf } from "../../../../test/support/random-timelines.ts";
import { axisOf, drawingOf } from "./drawing.ts";

const seen: Draft = {
  type: "message_moved",
  id: "m1",
  from_agent: "user",
  to_agent: "a",
  step: "seen",
};
const turn = (type: "turn_started" | "turn_ended", agent: string): Draft =>
  type === "turn_started"
    ? { type, agent, turn_id: "t1", messages: [] }
    : {
        type,
        agent,
        turn_id: "t1",
        messages: [],
        stop_reason: "completed",
        cost_usd: 0,
        tokens: 0,
        duration_ms: 1,
      };

const lanesOf = (drafts: Draft[], everyMs?: number): Lanes => {
  const lanes = new Lanes();
  for (const event of timelineOf(drafts, everyMs)) lanes.apply(event);
  return lanes;
};
const order = [USER, "a", "b"];

test("a message goes from lane to lane, and its slope is its latency", () => {
  const lanes = lanesOf([started(["a"]), sent("m1", "user", "a"), seen, turn("turn_started", "a")]);
  const axis = axisOf(lanes, START + 6000, 10);
  const drawing = drawingOf(lanes, order, axis, [0, axis.width]);
  expect(drawing.messages).toMatchObject([
    { from: { x: 0, lane: 0 }, to: { x: 10, lane: 1 }, isOpen: false },
  ]);
  expect(drawing.turns).toMatchObject([{ lane: 1, x: 20, width: 30 }]);
});

test("a message that nobody has seen reaches up to now", () => {
  const lanes = lanesOf([sent("m1", "user", "a")]);
  const axis = axisOf(lanes, START + 6000, 10);
  expect(drawingOf(lanes, order, axis, [0, 100]).messages).toMatchObject([
    { from: { x: 0 }, to: { x: 60 }, isOpen: true },
  ]);
});

test("of five thousand events only what is visible is drawn", () => {
  const drafts = Array.from({ length: 2500 }, (_, index) => [
    turn("turn_started", index % 2 === 0 ? "a" : "b"),
    turn("turn_ended", index % 2 === 0 ? "a" : "b"),
  ]).flat();
  const lanes = lanesOf(drafts);
  const axis = axisOf(lanes, START + 5_000_000, 10);
  const { turns } = drawingOf(lanes, order, axis, [20_000, 20_800]);
  expect(turns.length).toBeGreaterThan(20);
  expect(turns.length).toBeLessThan(60);
});

test("the time in which an agent waits for a person is folded like idle time, and the wait reaches over the fold", () => {
  const wait: Draft = {
    type: "approval_requested",
    agent: "a",
    request: {
      type: "question",
      seq: 1,
      turn_id: "t1",
      at: new Date(START).toISOString(),
      request_id: "q",
      questions: [],
    },
  };
  const busy = axisOf(lanesOf([turn("turn_started", "a")]), START + 241_000, 10);
  expect(busy.folds).toEqual([]);
  const lanes = lanesOf([turn("turn_started", "a"), wait]);
  const axis = axisOf(lanes, START + 241_000, 10);
  expect(axis.folds).toMatchObject([{ from: START + 1000, to: START + 241_000 }]);
  expect(drawingOf(lanes, order, axis, [0, axis.width]).waits).toMatchObject([
    { x: 10, width: 56 },
  ]);
});

import { expect, test } from "vitest";
import { Lanes } from "../scene/lanes.ts";
import type { Draft } from "../../../../test/support/random-timelines.ts";
import { sent, START, timelineOf } from "../../../../test/support/random-timelines.ts";
import { openCords } from "./open-cords.ts";

const moved = (id: string, step: "seen" | "done" | "dead"): Draft => ({
  type: "message_moved",
  id,
  from_agent: "a",
  to_agent: "b",
  step,
});
const lanesOf = (...drafts: Draft[]): Lanes => {
  const lanes = new Lanes();
  for (const event of timelineOf(drafts)) lanes.apply(event);
  return lanes;
};

test("a cord stays while its message is on its way or worked on, and for a moment after", () => {
  const lanes = lanesOf(sent("m1", "a", "b"), sent("m2", "a", "b"), moved("m2", "seen"));
  expect(openCords(lanes, START + 3000, 0)).toMatchObject([
    { state: "waiting", place: 0 },
    { state: "held", place: 1 },
  ]);
  const done = lanesOf(sent("m1", "a", "b"), moved("m1", "done"));
  expect(openCords(done, START + 2000, 0)).toMatchObject([{ state: "ended" }]);
  expect(openCords(done, START + 20_000, 0)).toEqual([]);
});

test("as many of the newest dead are shown as are still lost", () => {
  const lanes = lanesOf(
    sent("m1", "a", "b"),
    moved("m1", "dead"),
    sent("m2", "a", "b"),
    moved("m2", "dead"),
  );
  expect(openCords(lanes, START, 0)).toEqual([]);
  expect(openCords(lanes, START, 1)).toMatchObject([{ state: "dead", flight: { id: "m2" } }]);
});

test("of too many cords the newest are shown", () => {
  const lanes = lanesOf(
    ...Array.from({ length: 40 }, (_, index) => sent(`m${index}`, "a", "b", `${index}`)),
  );
  const cords = openCords(lanes, START, 0);
  expect([cords.length, cords.at(-1)?.flight.id]).toEqual([24, "m39"]);
});

import type { Flight, Lanes, Tick, Turn, Wait } from "../scene/lanes.ts";
import { TimeAxis } from "./time-axis.ts";

/** A bar of the lines with its place. */
export interface Bar<Of> {
  readonly of: Of;
  readonly lane: number;
  readonly x: number;
  readonly width: number;
}

export interface MessageLine {
  readonly of: Flight;
  readonly from: { readonly x: number; readonly lane: number };
  readonly to: { readonly x: number; readonly lane: number };
  /** Nobody has seen it yet. */
  readonly isOpen: boolean;
}

export interface Drawing {
  readonly turns: readonly Bar<Turn>[];
  readonly waits: readonly Bar<Wait>[];
  readonly ticks: readonly { readonly of: Tick; readonly lane: number; readonly x: number }[];
  readonly messages: readonly MessageLine[];
}

const MIN_BAR = 3;

/** The axis for all that the lanes have. */
export function axisOf(lanes: Lanes, now: number, pxPerSecond: number): TimeAxis {
  const moments: number[] = [];
  const push = (...times: (number | undefined)[]): void => {
    for (const at of times) if (at !== undefined) moments.push(at);
  };
  for (const { from, to } of lanes.turns.values()) push(from, to);
  for (const { from, to } of lanes.waits.values()) push(from, to);
  for (const { at } of lanes.ticks.values()) push(at);
  for (const { sentAt, seenAt } of lanes.flights.values()) push(sentAt, seenAt);
  return new TimeAxis({ moments, works: worksOf(lanes), now }, pxPerSecond);
}

/** When agents worked: their turns without the time in which they waited for a person. */
function worksOf(lanes: Lanes): { from: number; to: number | undefined }[] {
  const waits = Map.groupBy(lanes.waits.values(), ({ agent }) => agent);
  return [...lanes.turns.values()].flatMap(({ agent, from, to }) => {
    const end = to ?? Infinity;
    const works: { from: number; to: number | undefined }[] = [];
    let at = from;
    const within = (waits.get(agent) ?? []).filter((wait) => wait.from >= from && wait.from < end);
    for (const wait of within.toSorted((a, b) => a.from - b.from)) {
      if (wait.from > at) works.push({ from: at, to: wait.from });
      at = Math.max(at, wait.to ?? Infinity);
    }
    return at < end ? [...works, { from: at, to }] : works;
  });
}

/** What there is between two places, for the lanes in the given order. */
export function drawingOf(
  lanes: Lanes,
  order: readonly string[],
  axis: TimeAxis,
  [left, right]: readonly [number, number],
): Drawing {
  const laneOf = new Map(order.map((id, index) => [id, index]));
  const isSeen = (from: number, to: number): boolean => to >= left && from <= right;
  const bars = <Of extends Turn | Wait>(all: Iterable<Of>): Bar<Of>[] => {
    const found: Bar<Of>[] = [];
    for (const each of all) {
      const lane = laneOf.get(each.agent);
      if (lane === undefined) continue;
      const x = axis.xOf(each.from);
      const end = each.to === undefined ? axis.width : axis.xOf(each.to);
      const width = Math.max(MIN_BAR, end - x);
      if (isSeen(x, x + width)) found.push({ of: each, lane, x, width });
    }
    return found;
  };
  const ticks: Drawing["ticks"][number][] = [];
  for (const each of lanes.ticks.values()) {
    const lane = laneOf.get(each.agent);
    const x = axis.xOf(each.at);
    if (lane !== undefined && isSeen(x, x)) ticks.push({ of: each, lane, x });
  }
  const messages: MessageLine[] = [];
  for (const each of lanes.flights.values()) {
    const fromLane = laneOf.get(each.from);
    const toLane = laneOf.get(each.to);
    if (fromLane === undefined || toLane === undefined) continue;
    const from = { x: axis.xOf(each.sentAt), lane: fromLane };
    const end = each.seenAt ?? each.endedAt;
    const to = { x: end === undefined ? axis.width : axis.xOf(end), lane: toLane };
    if (isSeen(from.x, to.x)) messages.push({ of: each, from, to, isOpen: end === undefined });
  }
  return { turns: bars(lanes.turns.values()), waits: bars(lanes.waits.values()), ticks, messages };
}

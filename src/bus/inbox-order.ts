import type { MessageType, Priority } from "../wire/team/messages.ts";

/** The order in which inboxes are emptied, most pressing first. */
export const priorities = ["urgent", "high", "normal", "low"] as const satisfies Priority[];

/**
 * Messages by purpose. Order is kept only within a lane, so that an answer never waits behind a request that its
 * recipient does not take yet.
 */
export const lanes = ["work", "answer", "note", "control"] as const;
export type Lane = (typeof lanes)[number];

const laneOfType = {
  task_request: "work",
  task_response: "answer",
  task_complete: "answer",
  task_failed: "answer",
  error: "answer",
  info: "note",
  progress: "note",
  ping: "control",
  pong: "control",
  shutdown: "control",
} as const satisfies Record<MessageType, Lane>;

export const laneOf = (type: MessageType): Lane => laneOfType[type];

/**
 * Ageing, counted in messages rather than seconds, so that it does not depend on a clock: a message yields to more
 * pressing ones that arrive up to this many places after it, and to no later one.
 */
export const headStart = { urgent: 400, high: 300, normal: 200, low: 0 } as const satisfies Record<
  Priority,
  number
>;

/** A queue within an inbox, in which each sender's order is kept. */
export interface Line {
  priority: Priority;
  lane: Lane;
}

/** What a claim takes: a message matches when one of these matches; an absent list matches all. */
export interface Accept {
  priorities?: readonly Priority[];
  lanes?: readonly Lane[];
}

export function linesOf(accept: readonly Accept[] | undefined): Line[] {
  const all = priorities.flatMap((priority) => lanes.map((lane) => ({ priority, lane })));
  if (!accept) return all;
  return all.filter((line) =>
    accept.some(
      (each) =>
        (each.priorities?.includes(line.priority) ?? true) &&
        (each.lanes?.includes(line.lane) ?? true),
    ),
  );
}

import type { MessageType, Priority } from "../wire/team.ts";

/** In which order inboxes are emptied; the first is the most pressing. */
export const priorities = ["urgent", "high", "normal", "low"] as const satisfies Priority[];

/**
 * Messages of one kind of purpose. Order is kept within a lane only, so that an answer never waits
 * behind a request that its recipient does not take yet.
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
 * Ageing, counted in messages and not in seconds, so that no clock can spoil it: a message gives way
 * to more pressing ones that arrive in its inbox up to so many places after it, and to no later one.
 */
export const headStart = { urgent: 400, high: 300, normal: 200, low: 0 } as const satisfies Record<
  Priority,
  number
>;

/** A line of an inbox whose order is kept for each sender. */
export interface Line {
  priority: Priority;
  lane: Lane;
}

/** What a claim takes: a message fits when one of these fits, and an absent list takes all. */
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

import { setTimeout as delay } from "node:timers/promises";
import type { TeamEvent } from "../../../src/wire/team/events.ts";
import type { ModelEvent, ModelWatch } from "../team-storm/model-watch.ts";
import type { TimelineWatch } from "../timeline-watch.ts";
import type { Trail } from "../trail.ts";
import type { Role } from "./demo-team.ts";
import { roles } from "./demo-team.ts";

/** An agent's host, its CLI, the team's process, or all of them. */
export type Victim = "team" | "all" | `${Role} host` | `${Role} cli`;

const victims: readonly Victim[] = [
  "team",
  "all",
  ...roles.flatMap((role): Victim[] => [`${role} host`, `${role} cli`]),
];

export interface Sight {
  timeline: TimelineWatch;
  model: ModelWatch;
}

const WITHIN_MS = 120_000;

/** Moments of the demo at which to strike, in the order in which they first come. */
export const moments = {
  sent: untilTold("message_sent"),
  pushed: untilTold("message_moved", ({ step }) => step === "pushed"),
  "turn begun": untilTold("turn_started"),
  asked: untilModel("request"),
  answering: untilModel("first_delta"),
  "tool called": untilTold("tool_called"),
  "task given": untilTold("task_changed", ({ task }) => task.state === "working"),
  "answer handed over": untilTold("message_moved", ({ step }) => step === "returned"),
  "leave asked for": untilTold("approval_requested"),
  "leave given": untilTold("approval_resolved"),
  "tool ended": untilTold("tool_ended"),
  "task completed": untilTold("task_changed", ({ task }) => task.state === "completed"),
  "turn ended": untilTold("turn_ended"),
} as const satisfies Record<string, (sight: Sight, skip: number) => Promise<void>>;
export type Moment = keyof typeof moments;

export interface Strike {
  victim: Victim;
  moment: Moment;
  /** Most moments come several times in a round: not always the first. */
  skip: number;
  laterMs: number;
}

const MAX_SKIP = 5;
const MAX_LATER_MS = 40;
const STRUCK_AGAIN = 0.3;

/** For each round its strikes: every moment again and again, in an order of chance, with victims of chance. */
export function plan(rounds: number, random: () => number): Strike[][] {
  const names = Object.keys(moments) as Moment[];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const strikeAt = (moment: Moment): Strike => ({
    moment,
    victim: pick(victims),
    skip: Math.floor(random() * MAX_SKIP),
    laterMs: random() < 0.5 ? 0 : random() * MAX_LATER_MS,
  });
  const planned: Strike[][] = [];
  while (planned.length < rounds) {
    const shuffled = names
      .map((moment) => ({ moment, by: random() }))
      .toSorted((a, b) => a.by - b.by);
    for (const { moment } of shuffled) {
      const again = random() < STRUCK_AGAIN ? [strikeAt(pick(names))] : [];
      planned.push([strikeAt(moment), ...again]);
    }
  }
  return planned.slice(0, rounds);
}

/** Resolves when the moment of this strike has come. */
export async function untilMoment({ moment, skip, laterMs }: Strike, sight: Sight): Promise<void> {
  await moments[moment](sight, skip);
  await delay(laterMs);
}

function untilTold<T extends TeamEvent["type"]>(
  type: T,
  fits: (event: Extract<TeamEvent, { type: T }>) => boolean = () => true,
) {
  return ({ timeline }: Sight, skip: number): Promise<void> => untilNth(timeline, type, skip, fits);
}

function untilModel(type: ModelEvent["type"]) {
  return ({ model }: Sight, skip: number): Promise<void> => untilNth(model, type, skip, () => true);
}

async function untilNth<Event extends { type: string }, T extends Event["type"]>(
  trail: Trail<Event>,
  type: T,
  skip: number,
  fits: (event: Extract<Event, { type: T }>) => boolean,
): Promise<void> {
  let since = trail.told.length;
  for (let left = skip; left >= 0; left -= 1) {
    const found = await trail.until(type, { since, fits, withinMs: WITHIN_MS });
    since = trail.told.indexOf(found) + 1;
  }
}

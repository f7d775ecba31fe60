import { closeSync, fstatSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TeamEvent } from "../../../src/wire/team/events.ts";
import type { TeamRun } from "../team-stage.ts";
import type { TimelineWatch } from "../timeline-watch.ts";
import type { Trail } from "../trail.ts";
import type { ModelEvent, ModelWatch } from "./model-watch.ts";

export interface Sight {
  run: TeamRun;
  timeline: TimelineWatch;
  model: ModelWatch;
  random: () => number;
  /** The storm has something to say to the lead now, and has not heard yet whether it was taken. */
  sending: Promise<void>;
  /** The end of the round. */
  over: AbortSignal;
}

const WITHIN_MS = 90_000;
const LOOK_MS = 3;
const END_BYTES = 512 * 1024;
const MAX_CHANCE_MS = 2500;

/** Moments in the life of a message at which to strike. Each resolves when it has come, and may fail when it does not. */
export const moments = {
  sent: ({ sending }) => sending,
  durable: (sight) => untilTold(sight, "message_sent"),
  claimed: ({ run, random }) => run.logged("A message was claimed", skipOf(random)),
  pushed: (sight) => untilStep(sight, "pushed"),
  "row on disk": (sight) => untilRow(sight),
  seen: (sight) => untilStep(sight, "seen"),
  request: (sight) => untilModel(sight, "request"),
  "first delta": (sight) => untilModel(sight, "first_delta"),
  call: (sight) => untilTold(sight, "tool_called"),
  answered: (sight) => untilModel(sight, "finished"),
  done: (sight) => untilTold(sight, "turn_ended"),
  chance: ({ random }) => delay(random() * MAX_CHANCE_MS),
} as const satisfies Record<string, (sight: Sight) => Promise<unknown>>;
export type Moment = keyof typeof moments;

/** Waits for the moment, or for the end of the round: one that does not come in it is as good as its end. */
export async function untilMoment(
  coming: Promise<unknown>,
  over: AbortSignal,
): Promise<"came" | "over"> {
  const ended = new Promise<"over">((resolve) => {
    if (over.aborted) resolve("over");
    else over.addEventListener("abort", () => resolve("over"), { once: true });
  });
  const came = coming.then(
    () => "came" as const,
    () => ended,
  );
  return Promise.race([came, ended]);
}

/** Most of them come several times in a round: not always the first. */
const skipOf = (random: () => number): number => Math.floor(random() * 4);

async function untilNth<Event extends { type: string }, T extends Event["type"]>(
  trail: Trail<Event>,
  type: T,
  skip: number,
  fits: (event: Extract<Event, { type: T }>) => boolean = () => true,
): Promise<Extract<Event, { type: T }>> {
  let since = trail.told.length;
  for (let left = skip; ; left -= 1) {
    const found = await trail.until(type, { since, fits, withinMs: WITHIN_MS });
    if (left <= 0) return found;
    since = trail.told.indexOf(found) + 1;
  }
}

const untilTold = ({ timeline, random }: Sight, type: TeamEvent["type"]) =>
  untilNth(timeline, type, skipOf(random));

const untilStep = ({ timeline, random }: Sight, wanted: "pushed" | "seen") =>
  untilNth(timeline, "message_moved", skipOf(random), ({ step }) => step === wanted);

const untilModel = ({ model, random }: Sight, type: ModelEvent["type"]) =>
  untilNth(model, type, skipOf(random));

/** The CLI has written the message into its own file, and no event has reported it yet. */
async function untilRow({ timeline, run, random, over }: Sight): Promise<void> {
  const { message } = await untilNth(timeline, "message_sent", skipOf(random));
  const projects = join(run.stage.stateDir, "agents", message.to_agent, ".claude/projects");
  while (!over.aborted && !endsOf(projects).includes(`uuid":"${message.id}"`)) {
    await delay(LOOK_MS);
  }
}

/** The ends of all files in it, where what is new stands. */
function endsOf(directory: string): string {
  try {
    return readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => endOf(join(directory, name)))
      .join("");
  } catch {
    // It is not there yet.
    return "";
  }
}

function endOf(path: string): string {
  const file = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(END_BYTES);
    const from = Math.max(0, fstatSync(file).size - END_BYTES);
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, END_BYTES, from));
  } finally {
    closeSync(file);
  }
}

import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteBus } from "../../src/bus/sqlite/open-sqlite-bus.ts";
import { seededRandom } from "../../src/rehearsal/seeded-random.ts";
import { connectTeamOnce } from "../support/connect-team.ts";
import { controlSocket } from "../../src/team/state-dir/control-socket-path.ts";
import { damageOf } from "../support/bus-picture.ts";
import { explainFailure, keptDirectory } from "../support/evidence.ts";
import { TeamStage } from "../support/team-stage.ts";
import type { Told } from "../support/team-storm/keep.ts";
import { keepStage } from "../support/team-storm/keep.ts";
import type { Moment } from "../support/team-storm/moments.ts";
import { moments } from "../support/team-storm/moments.ts";
import type { Strike } from "../support/team-storm/storm.ts";
import { TeamStorm } from "../support/team-storm/storm.ts";
import { findMissing, judgeCalls, judgeOrder, messagesOf } from "../support/team-storm/verdict.ts";
import { victims } from "../support/team-storm/victims.ts";

/** Two hundred before a release: STORM_ROUNDS=200. */
const { STORM_ROUNDS, STORM_SEED = String(Date.now() % 1_000_000), STORM_KEEP } = process.env;
const ROUNDS = Number(STORM_ROUNDS ?? 20);
const ROUND_MS = 300_000;
/** Most of a round is waiting, so that two teams fit side by side. */
const ABREAST = Math.min(2, ROUNDS);
/** Each team bears so many: then its conversations get long, and another one begins anew. */
const MAX_ROUNDS = 25;
/** What the team file allows them for their start, and a little more. */
const READY_MS = 130_000;
/** Processes end, and their sockets with them, a little after they have said so. */
const END_MS = 15_000;
/** All are back within ten seconds, as far as they were allowed to run: a machine may have more to do. */
const BACK_MS = 10_000;

const team = `
name: storm
lead: boss
timeouts: { start: 120, stable: 0.001, linger: 60, task: 300 }
limits: { per_pair_per_minute: 1000, per_sender_per_minute: 1000 }
agents:
  boss: { description: leads, prompt: You lead. }
  coder: { description: codes, prompt: You code. }
`;

const personaOf = (agent: string | null): string => (agent === "boss" ? "You lead." : "You code.");

const say = (words: string): void => void process.stdout.write(`team storm: ${words}\n`);

test(
  "no message is lost or doubled, whatever process is killed and when",
  { timeout: ROUNDS * ROUND_MS + 120_000 },
  async () => {
    say(`${ROUNDS} rounds, STORM_SEED=${STORM_SEED}`);
    const teams = teamsOf(plan(seededRandom(Number(STORM_SEED))));
    const backs: number[] = [];
    const failed = new AbortController();
    const lanes = Array.from({ length: ABREAST }, async () => {
      for (let next = teams.shift(); next && !failed.signal.aborted; next = teams.shift()) {
        backs.push(...(await bear(next, failed)));
      }
    });
    // The other one ends its round, so that no process is killed while the storm ends.
    for (const lane of await Promise.allSettled(lanes)) {
      if (lane.status === "rejected") throw lane.reason;
    }
    const sorted = backs.toSorted((a, b) => a - b);
    const [middle = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    const late = backs.filter((backMs) => backMs >= BACK_MS).length;
    say(
      `${backs.length} rounds; by the clock, back after ${seconds(middle)} (P50), ${seconds(slowest)} at most, ` +
        `${late} times after more than ${seconds(BACK_MS)}`,
    );
    expect(backs).toHaveLength(ROUNDS);
  },
);

interface Storm {
  readonly number: number;
  readonly strikes: readonly Strike[];
}

/** One team, from its start to its end. Gives back how long it took to be back, for each strike. */
async function bear(planned: Storm, failed: AbortController): Promise<number[]> {
  const stage = new TeamStage(team, "");
  const script = join(import.meta.dirname, "../fixtures/team/storm-script.mjs");
  const told: Told = {};
  let storm: TeamStorm | undefined;
  // These run from the last to the first: its processes end, then all is kept, then the stage is removed.
  onTestFinished(({ task }) => keep(stage, planned.number, told, task.result?.state === "fail"));
  onTestFinished(() => storm?.close());
  try {
    storm = await TeamStorm.begin(
      stage,
      { script, ready: ["boss", "coder"], readyMs: READY_MS, log: "debug", personaOf },
      seededRandom(Number(STORM_SEED) + planned.number),
    );
    told.timeline = storm.timeline.told;
    return await bearOn(storm, planned, failed.signal);
  } catch (error) {
    storm?.halt();
    failed.abort();
    told.failure = { error, processes: stage.processes() };
    throw error;
  }
}

async function bearOn(
  storm: TeamStorm,
  { number, strikes }: Storm,
  failed: AbortSignal,
): Promise<number[]> {
  const { stage } = storm;
  const { told: timeline } = storm.timeline;
  const backs: number[] = [];
  for (const [index, strike] of strikes.entries()) {
    // The other team has failed, which is all that is to be shown.
    if (failed.aborted) return backs;
    const { strikes: done, backMs, slowdown, wrong } = await storm.round(strike);
    const name = `team ${number}, round ${index + 1}, ${done.join(", ")}`;
    backs.push(backMs);
    const back = `back after ${seconds(backMs)}, slowed down ${slowdown.toFixed(1)} times`;
    if (STORM_ROUNDS !== undefined) say(`${name}: ${back}`);
    const late = backMs < BACK_MS * slowdown ? [] : [back];
    expect({ name, wrong: [...wrong, ...late] }).toEqual({ name, wrong: [] });
  }
  // In peace: these requests show what the conversations have come to. News of this round itself may come
  // after the last of them, and a note starts no request to the model.
  await untilAllIsDelivered(stage);
  const before = timeline.length;
  expect((await storm.round()).wrong).toEqual([]);

  const sent = messagesOf(timeline);
  const earlier = timeline.slice(0, before);
  expect(findMissing(messagesOf(earlier), storm.lastWords)).toEqual([]);
  expect(judgeOrder(earlier, storm.lastWords)).toEqual([]);
  await untilAllIsDelivered(stage);
  // All calls behind the messages: the rehearsal ends with the team.
  await storm.model.caughtUp();

  const { code, err } = await stage.run("down", "--state-dir", stage.stateDir);
  expect({ code, err }).toEqual({ code: 0, err: expect.any(String) });
  const { exited } = storm.run;
  expect(await Promise.race([exited, delay(END_MS, "still running", { ref: false })])).toBe(0);
  await expect.poll(() => stage.processes(), { timeout: END_MS }).toEqual([]);
  await expect.poll(() => stage.sockets(), { timeout: END_MS }).toEqual([]);

  const path = join(stage.stateDir, "bus.db");
  expect(damageOf(path, stage.root)).toEqual([]);
  const bus = await openSqliteBus(path);
  const logIds = new Map<string, string>();
  for (const agent of ["boss", "coder"]) {
    const note = await bus.records.get("agents", agent);
    logIds.set(agent, note?.value["log_id"] as string);
  }
  const states = await Promise.all(sent.map(async ({ id }) => (await bus.get(id))?.state));
  await bus.close();
  expect(new Set(states)).toEqual(new Set(["done"]));
  const calls = storm.model.told.flatMap(({ toolUseIds }) => toolUseIds);
  expect(judgeCalls(sent, calls, logIds)).toEqual([]);
  expect([...storm.jobs.keys()].filter((id) => !sent.some((each) => each.id === id))).toEqual([]);
  say(`team ${number}: ${sent.length} messages, ${timeline.length} events`);
  return backs;
}

/** Nothing is left over: no task, no dead letter, nothing in an inbox. */
async function untilAllIsDelivered({ stateDir }: TeamStage): Promise<void> {
  const status = async () => {
    await using client = await connectTeamOnce(controlSocket(stateDir));
    const { open_tasks, dead_letters, agents } = client.init;
    return { open_tasks, dead_letters, inboxes: agents.map(({ inbox }) => inbox) };
  };
  // News of a turn may still be on its way when its answer is told.
  await expect.poll(status).toEqual({ open_tasks: 0, dead_letters: 0, inboxes: [0, 0] });
}

/** Every victim at every moment, in an order of chance, again and again. */
function plan(random: () => number): Strike[] {
  const pairs = victims.flatMap((victim) =>
    (Object.keys(moments) as Moment[]).map((moment) => ({ victim, moment })),
  );
  const strikes: Strike[] = [];
  while (strikes.length < ROUNDS) {
    strikes.push(
      ...pairs
        .map((pair) => ({ pair, by: random() }))
        .toSorted((a, b) => a.by - b.by)
        .map(({ pair }) => pair),
    );
  }
  return strikes.slice(0, ROUNDS);
}

function teamsOf(strikes: readonly Strike[]): Storm[] {
  const count = Math.max(ABREAST, Math.ceil(strikes.length / MAX_ROUNDS));
  return Array.from({ length: count }, (_, number) => ({
    number,
    strikes: strikes.filter((_each, index) => index % count === number),
  }));
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

let keptIn: string | undefined;

/** Leaves what is needed to find out what went wrong: always, or when something did. */
function keep(stage: TeamStage, number: number, told: Told, hasFailed: boolean): void {
  if (STORM_KEEP === undefined && !hasFailed) return;
  keptIn ??= STORM_KEEP ?? keptDirectory("team-storm");
  const directory = join(keptIn, String(number));
  keepStage(stage, directory, told);
  if (!hasFailed) return;
  say(`failed; STORM_SEED=${STORM_SEED}; team ${number} is kept in ${directory}`);
  if (told.failure) say(explainFailure(told.failure.error));
}

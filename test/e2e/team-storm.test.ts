import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteBus } from "../../src/bus/sqlite/open.ts";
import { seededRandom } from "../../src/rehearsal/random.ts";
import { TeamClient } from "../../src/team/control/client.ts";
import { controlSocket } from "../../src/team/up.ts";
import { damageOf } from "../support/bus-picture.ts";
import { TeamStage } from "../support/team-stage.ts";
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

const say = (words: string): void => void process.stdout.write(`team storm: ${words}\n`);

test(
  "whatever is killed and when, no message is lost or doubled",
  { timeout: ROUNDS * ROUND_MS + 120_000 },
  async () => {
    say(`${ROUNDS} rounds, STORM_SEED=${STORM_SEED}`);
    const teams = teamsOf(plan(seededRandom(Number(STORM_SEED))));
    const backs: number[] = [];
    const lanes = Array.from({ length: ABREAST }, async () => {
      for (let next = teams.shift(); next; next = teams.shift()) backs.push(...(await bear(next)));
    });
    await Promise.all(lanes);
    const sorted = backs.toSorted((a, b) => a - b);
    const [middle = 0, slowest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    say(`${backs.length} rounds; back after ${seconds(middle)} (P50), ${seconds(slowest)} at most`);
    expect(backs).toHaveLength(ROUNDS);
  },
);

interface Storm {
  readonly number: number;
  readonly strikes: readonly Strike[];
}

/** One team, from its start to its end. Gives back how long it took to be back, for each strike. */
async function bear({ number, strikes }: Storm): Promise<number[]> {
  const random = seededRandom(Number(STORM_SEED) + number);
  const stage = new TeamStage(team, "");
  onTestFinished(() => keep(stage, number));
  const script = join(import.meta.dirname, "../fixtures/team/storm-script.mjs");
  const storm = await TeamStorm.begin(
    stage,
    { script, ready: ["boss", "coder"], log: "debug" },
    random,
  );
  onTestFinished(() => storm.close());

  const backs: number[] = [];
  for (const [index, strike] of strikes.entries()) {
    const { strikes: done, backMs, slowdown, wrong } = await storm.round(strike);
    const name = `team ${number}, round ${index + 1}, ${done.join(", ")}`;
    backs.push(backMs);
    const back = `back after ${seconds(backMs)}, slowed down ${slowdown.toFixed(1)} times`;
    if (STORM_ROUNDS !== undefined) say(`${name}: ${back}`);
    const late = backMs < BACK_MS * slowdown ? [] : [back];
    expect({ name, wrong: [...wrong, ...late] }).toEqual({ name, wrong: [] });
  }
  // In peace: these requests show what the conversations have come to. News of this round itself may come
  // after the last of them, and nobody is asked for the sake of news.
  await untilAllIsDelivered(stage);
  const before = storm.timeline.told.length;
  expect((await storm.round()).wrong).toEqual([]);

  const { told } = storm.timeline;
  const sent = messagesOf(told);
  const earlier = told.slice(0, before);
  expect(findMissing(messagesOf(earlier), storm.lastWords)).toEqual([]);
  expect(judgeOrder(earlier, storm.lastWords)).toEqual([]);
  await untilAllIsDelivered(stage);

  await stage.run("down", "--state-dir", stage.stateDir);
  await storm.run.exited;
  expect(stage.processes()).toEqual([]);
  expect(stage.sockets()).toEqual([]);

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
  say(`team ${number}: ${sent.length} messages, ${told.length} events`);
  return backs;
}

/** Nothing is left over: no task, no dead letter, nothing in an inbox. */
async function untilAllIsDelivered({ stateDir }: TeamStage): Promise<void> {
  const status = async () => {
    await using client = await TeamClient.connect(controlSocket(stateDir));
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

/** Where to leave what is needed to find out what went wrong. */
function keep({ root }: TeamStage, number: number): void {
  if (STORM_KEEP === undefined) return;
  cpSync(root, join(STORM_KEEP, String(number)), { recursive: true, filter: isNoSocket });
}

const isNoSocket = (path: string): boolean => !path.endsWith(".sock");

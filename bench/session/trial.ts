import { setTimeout as sleep } from "node:timers/promises";
import type { Rehearsal } from "../../src/rehearsal/index.ts";
import { startRehearsal } from "../../src/rehearsal/index.ts";
import type { Absence, Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { DELTAS, inPlace, said, script } from "./place.ts";
import { Visit } from "./visit.ts";
import type { Way } from "./way.ts";

const ROUNDS = 7;
const TURNS = 10;
/** The CLI does this and that once it is up; a person takes longer to write the first message. */
const SETTLE_MS = 1_000;

/** What is measured of a way, once in each round. */
type Measure = "ready" | "delta" | "cold" | "warm" | "rss" | "cpu" | "bytes" | "rssLong";

interface Goals {
  /** The most it may be, as a multiple of the relay's and of the adapter's. */
  relay?: number;
  adapter?: number;
}

const measures: Record<Measure, { title: string; unit: string; goals?: Goals }> = {
  ready: { title: "spawn → ready", unit: "ms", goals: { relay: 1.2, adapter: 0.75 } },
  delta: { title: "prompt → first delta, first turn", unit: "ms" },
  cold: { title: "turn with an approval, cold", unit: "ms" },
  warm: {
    title: "turn with an approval, warm",
    unit: "ms",
    goals: { relay: 1.15, adapter: 0.6 },
  },
  rss: { title: `RSS after ${TURNS} turns`, unit: "MB", goals: { relay: 1.15 } },
  cpu: {
    title: `CPU of the host for ${DELTAS} deltas`,
    unit: "ms",
    goals: { relay: 1.5, adapter: 0.6 },
  },
  bytes: { title: `bytes for ${DELTAS} deltas`, unit: "KB", goals: { adapter: 0.35 } },
  rssLong: { title: `RSS after ${DELTAS} deltas more`, unit: "MB", goals: { relay: 1.15 } },
};

type Sample = Record<Measure, number>;

export interface Contest {
  relay: Way;
  adapter: Way | Absence;
  own: Way;
}

/** The three ways by turns, each time in a new process with a new CLI of the same binary. */
export function surveyTrial({ relay, adapter, own }: Contest): Survey {
  const ways = [relay, ...("reason" in adapter ? [] : [adapter]), own];
  return {
    title: "A session: agent-socket beside the bare SDK and the ACP adapter",
    absent: "reason" in adapter ? [adapter] : [],
    async measure() {
      const rehearsal = await startRehearsal({ script });
      const samples = new Map(ways.map((way) => [way, [] as Sample[]]));
      try {
        // The first round fills the machine's caches and is forgotten.
        for (let round = 0; round <= ROUNDS; round += 1) {
          console.error(`session: round ${round} of ${ROUNDS} …`);
          for (const way of rotated(ways, round)) {
            const sample = await takeSample(way, rehearsal);
            if (round > 0) samples.get(way)!.push(sample);
          }
        }
      } finally {
        await rehearsal.close();
      }
      return (Object.keys(measures) as Measure[]).flatMap((measure) =>
        figuresOf(measure, ways, (way) => samples.get(way)!.map((sample) => sample[measure]), own),
      );
    },
  };
}

const rotated = <T>(list: T[], by: number): T[] =>
  list.map((_, index) => list[(index + by) % list.length]!);

function takeSample(way: Way, rehearsal: Rehearsal): Promise<Sample> {
  return inPlace(rehearsal, async (place) => {
    const visit = await Visit.begin(way, place);
    try {
      await sleep(SETTLE_MS);
      const cold = await markTurn(visit, way);
      const warmMs: number[] = [];
      for (let turn = 1; turn < TURNS; turn += 1) {
        warmMs.push((await markTurn(visit, way)).turnMs);
      }
      const rss = visit.residentMegabytes;
      const long = await visit.turn(said.tell);
      if (long.deltas < DELTAS) throw new Error(`${way.name} gave ${long.deltas} deltas.`);
      return {
        ready: visit.readyMs,
        delta: cold.firstDeltaMs,
        cold: cold.turnMs,
        warm: median(warmMs),
        rss,
        cpu: long.cpuMs,
        bytes: long.bytes / 1000,
        rssLong: visit.residentMegabytes,
      };
    } finally {
      await visit.peer.close();
    }
  });
}

async function markTurn(visit: Visit, { name }: Way) {
  const figures = await visit.turn(said.mark);
  if (figures.asks !== 1) throw new Error(`${name} asked ${figures.asks} times in a turn.`);
  return figures;
}

/** The medians, and the median of the rounds' ratios. */
function figuresOf(
  measure: Measure,
  ways: Way[],
  valuesOf: (way: Way) => number[],
  own: Way,
): Figure[] {
  const { title, unit, goals = {} } = measures[measure];
  const ownValues = valuesOf(own);
  const ratios = ways
    .filter((way) => way !== own)
    .map((way, index): Figure => {
      const atMost = index === 0 ? goals.relay : goals.adapter;
      const theirs = valuesOf(way);
      return {
        name: `    × ${way.name}`,
        value: median(ownValues.map((value, round) => value / theirs[round]!)),
        unit: "×",
        ...(atMost !== undefined && { goal: { atMost } }),
      };
    });
  return [
    ...ways.map((way) => ({ name: `${title}: ${way.name}`, value: median(valuesOf(way)), unit })),
    ...ratios,
  ];
}

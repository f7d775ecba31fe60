import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Rehearsal } from "../../src/rehearsal/index.ts";
import { startRehearsal } from "../../src/rehearsal/index.ts";
import type { Absence, Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { DELTAS, inPlace, said, script } from "../session/place.ts";
import type { Place } from "../session/way.ts";
import { AcpVisit } from "./acp-visit.ts";
import { processesOf } from "./processes.ts";
import type { FaceWay } from "./ways.ts";

const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 5);
const TURNS = 6;
/** As in the bench of the session. */
const SETTLE_MS = 1_000;
const SURVIVAL_MS = 10_000;

const measures = {
  ready: { title: "spawn → ready", unit: "ms" },
  delta: { title: "prompt → first delta, first turn", unit: "ms" },
  warm: { title: "turn with an approval, warm", unit: "ms" },
  cpu: { title: `CPU for ${DELTAS} deltas, all processes but the CLI`, unit: "ms" },
  bytes: { title: `bytes for ${DELTAS} deltas`, unit: "KB" },
  rss: { title: "RSS then, all processes but the CLI", unit: "MB" },
} as const;
type Measure = keyof typeof measures;
type Sample = Record<Measure, number>;

/** Both ways by turns, each time in new processes with a new CLI of the same binary. */
export function surveyFaces(own: FaceWay, adapter: FaceWay | Absence): Survey {
  const ways = [...("reason" in adapter ? [] : [adapter]), own];
  return {
    title: "An editor: agent-socket acp beside the ACP adapter",
    absent: "reason" in adapter ? [adapter] : [],
    async measure() {
      const rehearsal = await startRehearsal({ script });
      const samples = new Map(ways.map((way) => [way, [] as Sample[]]));
      const survivals = new Map<FaceWay, number>();
      try {
        // The first round fills the machine's caches and is forgotten.
        for (let round = 0; round <= ROUNDS; round += 1) {
          console.error(`acp: round ${round} of ${ROUNDS} …`);
          for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
            const sample = await inPlace(rehearsal, (place) => takeSample(way, place));
            if (round > 0) samples.get(way)!.push(sample);
          }
        }
        for (const way of ways) survivals.set(way, await survivalOf(way, rehearsal));
      } finally {
        await rehearsal.close();
      }
      const figures = (Object.keys(measures) as Measure[]).flatMap((measure) =>
        figuresOf(measure, ways, (way) => samples.get(way)!.map((sample) => sample[measure]), own),
      );
      return [
        ...figures,
        ...ways.map((way): Figure => ({
          name: `turns in an approval that survive the editor's death, of 1: ${way.name}`,
          value: survivals.get(way) ?? 0,
          unit: "",
          ...(way === own && { goal: { atLeast: 1 } }),
        })),
      ];
    },
  };
}

async function takeSample(way: FaceWay, place: Place): Promise<Sample> {
  const visit = new AcpVisit(way, place);
  try {
    const ready = await visit.begin();
    await sleep(SETTLE_MS);
    const cold = await visit.turn(said.mark);
    const warmMs: number[] = [];
    for (let turn = 1; turn < TURNS; turn += 1) {
      const { turnMs, asks } = await visit.turn(said.mark);
      if (asks !== 1) throw new Error(`${way.name} asked ${asks} times in a turn.`);
      warmMs.push(turnMs);
    }
    const long = await visit.turn(said.tell);
    const words = long.text.split("word").length - 1;
    if (words !== DELTAS) throw new Error(`${way.name} gave ${words} of ${DELTAS} words.`);
    return {
      ready,
      delta: cold.firstDeltaMs,
      warm: median(warmMs),
      cpu: long.cpuMs,
      bytes: long.bytes / 1000,
      rss: visit.residentMegabytes,
    };
  } finally {
    await visit.peer.close();
    await allGone(place);
  }
}

/** The editor dies while a person is asked; another one loads the session, and the person allows the call there. */
function survivalOf(way: FaceWay, rehearsal: Rehearsal): Promise<number> {
  return inPlace(rehearsal, async (place) => {
    const first = new AcpVisit(way, place);
    await first.begin();
    const asked = Promise.withResolvers<void>();
    first.turn(said.mark, asked.resolve).catch(() => {});
    await asked.promise;
    await first.peer.close();
    const second = new AcpVisit(way, place);
    try {
      await second.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
      second.peer
        .until((line) => {
          const { options } = (line["params"] ?? {}) as {
            options?: { kind: string; optionId: string }[];
          };
          if (options) second.allow(line, options);
          return options;
        })
        .catch(() => {});
      const { cwd } = place;
      const sessionId = first.sessionId;
      await second.call("session/load", { sessionId, cwd, mcpServers: [] }).catch(() => {});
      const mark = join(cwd, "mark");
      for (let waitedMs = 0; waitedMs < SURVIVAL_MS && !existsSync(mark); waitedMs += 100) {
        await sleep(100);
      }
      return Number(existsSync(mark));
    } finally {
      await second.peer.close();
      await allGone(place);
    }
  });
}

async function allGone({ env }: Place): Promise<void> {
  const home = env["HOME"] ?? "";
  for (let tries = 0; tries < 200 && processesOf(home).length > 0; tries += 1) await sleep(100);
}

/** The medians, and the median of the rounds' ratios; no line is to be slower. */
function figuresOf(
  measure: Measure,
  ways: readonly FaceWay[],
  valuesOf: (way: FaceWay) => number[],
  own: FaceWay,
): Figure[] {
  const { title, unit } = measures[measure];
  const ownValues = valuesOf(own);
  const others = ways.filter((way) => way !== own);
  return [
    ...ways.map((way) => ({ name: `${title}: ${way.name}`, value: median(valuesOf(way)), unit })),
    ...others.map((way): Figure => {
      const theirs = valuesOf(way);
      return {
        name: `    × ${way.name}`,
        value: median(ownValues.map((value, round) => value / theirs[round]!)),
        unit: "×",
        goal: { atMost: 1 },
      };
    }),
  ];
}

import { setTimeout as pause } from "node:timers/promises";
import type { Comparison, Contender, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import type { Stage } from "./stage.ts";
import type { Way, Ways } from "./ways.ts";

const KB = 1000;
const MB = 1000 * KB;

const sizes = [
  { size: "100 B", bytes: 100, goalRatio: 2 },
  { size: "100 KB", bytes: 100 * KB, goalRatio: 1.2 },
  { size: "9 MB", bytes: 9 * MB, goalRatio: 1.2, rounds: 15 },
];

export function compareRoundTrips({ absent }: Stage, ways: Ways): Comparison[] {
  const { raw, bareRelay, bridge, nearBridge, relays, ...others } = ways;
  return sizes.map(({ size, bytes, goalRatio, ...more }) => {
    const calling = (way: Way): Contender => ({ name: way.name, run: () => fetchText(way, bytes) });
    return {
      title: `Round trip of tools/call with a result of ${size}`,
      work: { messages: 1, bytes },
      clock: "wall",
      ...more,
      peer: calling(raw),
      contenders: [
        calling(bareRelay),
        { ...calling(bridge), goalRatio },
        { ...calling(nearBridge), goalRatio },
        ...[...Object.values(others), ...relays].map(calling),
      ],
      absent,
    };
  });
}

async function fetchText(way: Way, bytes: number): Promise<void> {
  const { content, isError } = await way.call("text", { bytes });
  const length = content?.[0]?.text?.length;
  if (isError || length !== bytes) throw new Error(`${way.name} gave ${length} of ${bytes} bytes`);
}

const CALLS = 16;
const WAIT_MS = 50;

export function compareParallelCalls({ bridge, officialToBridge, library }: Ways): Comparison {
  const calling = (way: Way): Contender => ({
    name: way.name,
    async run() {
      await Promise.all(Array.from({ length: CALLS }, () => way.call("wait", { ms: WAIT_MS })));
    },
  });
  return {
    title: `${CALLS} calls at once of a read-only tool that waits ${WAIT_MS} ms`,
    work: { messages: 1, bytes: 0 },
    clock: "wall",
    rounds: 15,
    peer: { name: `a timer of ${WAIT_MS} ms`, run: () => pause(WAIT_MS) },
    contenders: [
      { ...calling(bridge), goalRatio: 1.2 },
      { ...calling(officialToBridge), goalRatio: 1.2 },
      calling(library),
    ],
  };
}

const ROUNDS = 31;
const CALLS_PER_ROUND = 10;

/** How often a call through the bridge is done while a relay does one. */
export function surveyRelays({ absent }: Stage, { bridge, relays }: Ways): Survey {
  return {
    title: "Round trip of 100 B: how many times faster the bridge is than a relay",
    absent,
    async measure() {
      const ratios = new Map(relays.map(({ name }) => [name, [] as number[]]));
      for (let round = 0; round < ROUNDS; round += 1) {
        const bridgeMs = await timeCallsMs(bridge);
        for (const relay of relays) {
          ratios.get(relay.name)!.push((await timeCallsMs(relay)) / bridgeMs);
        }
      }
      const figures = [...ratios].map(([name, each]) => ({ name, value: median(each), unit: "×" }));
      const best = Math.min(...figures.map(({ value }) => value));
      if (figures.length === 0) return [];
      return [
        ...figures,
        { name: "the best of them", value: best, unit: "×", goal: { atLeast: 8 } },
      ];
    },
  };
}

async function timeCallsMs(way: Way): Promise<number> {
  const startMs = performance.now();
  for (let call = 0; call < CALLS_PER_ROUND; call += 1) await fetchText(way, 100);
  return performance.now() - startMs;
}

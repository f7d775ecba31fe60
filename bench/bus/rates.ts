import { once } from "node:events";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { openSqliteBus } from "../../src/bus/sqlite/open-sqlite-bus.ts";
import type { Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";
import { syncsPerSecond } from "./disk.ts";
import { makeMessage } from "./message.ts";
import { makePlace } from "./place.ts";
import { RawTable } from "./raw-table.ts";
import type { Sent } from "./send-for.ts";
import { sendFor } from "./send-for.ts";

const ROUNDS = 7;
const ROUND_MS = 600;
const SENDERS = [1, 16, 64] as const;

/** In each round everything has its turn, because the speed of a disk changes from second to second. */
export function surveyRates(): Survey {
  return {
    title: "Durable messages a second, 1 KB each, beside what the disk can do",
    async measure() {
      const place = makePlace();
      const bus = await openSqliteBus(place.path("bus.db"));
      const syncs: number[] = [];
      const growing: number[] = [];
      // These databases grow from round to round, as that of the bus does.
      const table = new RawTable(place.path("raw.db"));
      const thread = await startThread(place.path("raw-in-thread.db"));
      const raw: number[] = [];
      const behindThread: number[] = [];
      const idle: number[] = [];
      const sent = new Map<number, Sent[]>(SENDERS.map((senders) => [senders, []]));
      for (let round = 0; round < ROUNDS; round += 1) {
        syncs.push(syncsPerSecond(place.path("log"), "over", ROUND_MS));
        growing.push(syncsPerSecond(place.path("log"), "end", ROUND_MS));
        idle.push(await idleLoopP99Ms());
        for (const senders of SENDERS)
          sent.get(senders)!.push(await sendFor(bus, senders, ROUND_MS));
        raw.push(await timesPerSecond(16, () => table.insert(sixteen())));
        behindThread.push(await timesPerSecond(1, () => insertBehind(thread)));
      }
      table.close();
      await thread.terminate();
      await bus.close();
      place.remove();
      return [
        { name: "the disk: pages made durable, over old ones", value: median(syncs), unit: "/s" },
        { name: "the disk: the same at the end of a file", value: median(growing), unit: "/s" },
        {
          name: "SQLite alone in a thread: inserts, one at a time",
          value: median(behindThread),
          unit: "/s",
        },
        ...figuresOf(syncs, raw, behindThread, sent),
        { name: "main loop's delay with nothing to do", value: median(idle), unit: "ms" },
      ];
    },
  };
}

const sixteen = () => Array.from({ length: 16 }, () => makeMessage("ann", "bob"));

async function startThread(path: string): Promise<Worker> {
  const thread = new Worker(new URL("./raw-worker.ts", import.meta.url), { workerData: path });
  await once(thread, "message");
  return thread;
}

async function insertBehind(thread: Worker): Promise<void> {
  const inserted = once(thread, "message");
  thread.postMessage(makeMessage("ann", "bob"), []);
  await inserted;
}

async function timesPerSecond(each: number, act: () => void | Promise<void>): Promise<number> {
  const start = performance.now();
  let count = 0;
  for (; performance.now() - start < ROUND_MS; count += each) await act();
  return count / ((performance.now() - start) / 1000);
}

/** What the machine itself does to a loop at the moment. */
async function idleLoopP99Ms(): Promise<number> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await setTimeout(ROUND_MS);
  loop.disable();
  return loop.percentile(99) / 1e6;
}

function figuresOf(
  syncs: number[],
  raw: number[],
  behindThread: number[],
  sent: Map<number, Sent[]>,
): Figure[] {
  const rates = (senders: number) => sent.get(senders)!.map(({ perSecond }) => perSecond);
  const toOne = ratio(rates(16), rates(1));
  const toRaw = ratio(rates(16), raw);
  const figures: Figure[] = [
    { name: "SQLite alone: inserts, 16 to a transaction", value: median(raw), unit: "/s" },
  ];
  for (const senders of SENDERS) {
    const delays = sent
      .get(senders)!
      .flatMap(({ delaysMs }) => delaysMs)
      .sort((a, b) => a - b);
    const at = (part: number) => delays[Math.floor(delays.length * part)] ?? 0;
    const who = `${senders} sender${senders === 1 ? "" : "s"}`;
    figures.push(
      { name: who, value: median(rates(senders)), unit: "/s" },
      { name: `${who}: send to durable, median`, value: at(0.5), unit: "ms" },
      { name: `${who}: send to durable, 99 of 100`, value: at(0.99), unit: "ms" },
    );
  }
  const loop = median(sent.get(64)!.map(({ loopP99Ms }) => loopP99Ms));
  figures.push(
    {
      name: "1 sender ÷ the disk",
      value: ratio(rates(1), syncs),
      unit: "×",
      goal: { atLeast: 0.5 },
    },
    { name: "SQLite alone in a thread ÷ the disk", value: ratio(behindThread, syncs), unit: "×" },
    {
      name: "1 sender ÷ SQLite alone in a thread",
      value: ratio(rates(1), behindThread),
      unit: "×",
    },
    // One of the two is the goal: where the disk is quick, 16 senders cannot be ten times as quick as one.
    toOne >= 10
      ? { name: "16 senders ÷ 1 sender", value: toOne, unit: "×", goal: { atLeast: 10 } }
      : { name: "16 senders ÷ SQLite alone", value: toRaw, unit: "×", goal: { atLeast: 0.5 } },
    {
      name: "main loop's delay under 64 senders, 99 of 100",
      value: loop,
      unit: "ms",
      goal: { atMost: 10 },
    },
  );
  return figures;
}

const ratio = (over: number[], under: number[]): number =>
  median(over.map((value, round) => value / under[round]!));

import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventLog } from "../../src/session/log/event-log.ts";
import { openLog } from "../../src/session/log/open-log.ts";
import type { EventDraft } from "../../src/session/log/event-draft.ts";
import { encodeLine } from "../../src/wire/lines.ts";
import type { Comparison, Figure, Survey } from "../harness.ts";
import { median } from "../harness.ts";

const MEGABYTE = 1_000_000;
const DELTAS = 5000;
/** Deltas come a few at a time, as the CLI's output is read. */
const DELTAS_PER_TURN = 10;
const REPLAYED = 100_000;
const ATTACHES = 31;

const delta = (text: string): EventDraft => ({ type: "text_delta", turn_id: "t1", block: 0, text });

/** What the log costs beside what every relay does: to make lines of events and to hand them on. */
export function compareDeltas(): Comparison {
  const log = temporaryLog();
  let bytes = 0;
  log.subscribe((batch) => {
    bytes += batch.bytes.length;
  });
  const lineBytes = encodeLine({ seq: 10_000, ...delta(" word") }).length;
  const eachDelta = async (run: (draft: EventDraft) => void): Promise<void> => {
    for (let count = 0; count < DELTAS; count += 1) {
      run(delta(" word"));
      if (count % DELTAS_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    title: "5,000 deltas",
    work: { messages: DELTAS, bytes: DELTAS * lineBytes },
    clock: "processor",
    peer: {
      name: "lines, without a log",
      run: () =>
        eachDelta((draft) => {
          bytes += encodeLine(draft).length;
        }),
    },
    contenders: [
      {
        name: "through the log",
        run: async () => {
          await eachDelta((draft) => void log.append(draft));
          await log.durable();
        },
      },
    ],
  };
}

/** How long a client that has nearly everything waits for the rest, and how long a start takes. */
export function surveyAttach(sizes: readonly number[] = [MEGABYTE, 1000 * MEGABYTE]): Survey {
  return {
    title: "Attach at the end of a long log",
    async measure() {
      const logs: LongLog[] = [];
      try {
        for (const size of sizes) logs.push(await makeLongLog(size));
        // By turns, so that a slow spell of the machine meets all of them.
        for (let round = 0; round < ATTACHES; round += 1) {
          for (const { log, attachMs } of logs) {
            const start = performance.now();
            await readAll(log, log.lastSeq - 10);
            attachMs.push(performance.now() - start);
          }
        }
      } finally {
        for (const each of logs) await each.remove();
      }
      const [short, long] = [logs[0]!.attachMs, logs.at(-1)!.attachMs];
      return [
        ...logs.flatMap(figuresOf),
        {
          name: "    the last 10 events, longest log × shortest",
          value: median(long.map((ms, round) => ms / short[round]!)),
          unit: "×",
          goal: { atMost: 1.25 },
        },
      ];
    },
  };
}

export function surveyReplay(): Survey {
  return {
    title: "Replay",
    async measure() {
      const log = temporaryLog();
      for (let count = 0; count < REPLAYED; count += 1) log.append(delta(` word ${count}`));
      await log.durable();
      const times: number[] = [];
      for (let round = 0; round < 7; round += 1) {
        const start = performance.now();
        await readAll(log, 0);
        times.push(performance.now() - start);
      }
      await log.close();
      return [{ name: `${REPLAYED} events from disk`, value: median(times), unit: "ms" }];
    },
  };
}

interface LongLog {
  name: string;
  log: EventLog;
  openMs: { withCheckpoint: number; without: number };
  attachMs: number[];
  remove(): Promise<void>;
}

async function makeLongLog(size: number): Promise<LongLog> {
  const directory = mkdtempSync(join(tmpdir(), "switchboard-bench-"));
  const removeFiles = (): void => rmSync(directory, { recursive: true, force: true });
  try {
    await openLog(directory).close();
    writeLog(directory, size);
    const options = { maxSegmentBytes: Number.POSITIVE_INFINITY };
    const first = timed(() => openLog(directory, options));
    await first.value.close();
    const second = timed(() => openLog(directory, options));
    return {
      name: `${size / MEGABYTE} MB`,
      log: second.value,
      openMs: { withCheckpoint: second.ms, without: first.ms },
      attachMs: [],
      async remove() {
        await second.value.close();
        removeFiles();
      },
    };
  } catch (error) {
    removeFiles();
    throw error;
  }
}

const figuresOf = ({ name, openMs, attachMs }: LongLog): Figure[] => [
  { name: `${name}: the last 10 events`, value: median(attachMs), unit: "ms" },
  { name: `${name}: open after a clean end`, value: openMs.withCheckpoint, unit: "ms" },
  { name: `${name}: open without a checkpoint`, value: openMs.without, unit: "ms" },
];

/** A log of one segment, written as fast as the disk takes it. */
function writeLog(directory: string, size: number): void {
  const fd = openSync(join(directory, "events.jsonl"), "w");
  const text = "A piece of an answer, as long as the output of a tool may be. ".repeat(10);
  let seq = 1;
  for (let written = 0; written < size;) {
    const lines = Array.from({ length: 1000 }, () => encodeLine({ seq: seq++, ...delta(text) }));
    written += writeSync(fd, Buffer.concat(lines));
  }
  closeSync(fd);
}

async function readAll(log: EventLog, since: number): Promise<number> {
  let bytes = 0;
  for await (const batch of log.readAfter(since)) bytes += batch.bytes.length;
  return bytes;
}

function timed<T>(run: () => T): { value: T; ms: number } {
  const start = performance.now();
  const value = run();
  return { value, ms: performance.now() - start };
}

function temporaryLog(): EventLog {
  const directory = mkdtempSync(join(tmpdir(), "switchboard-bench-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return openLog(directory);
}

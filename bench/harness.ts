/** Something to be timed: one run does the same work, however often it is repeated. */
export interface Contender {
  name: string;
  run(): void | Promise<void>;
  /** The most time it may take, as a multiple of the peer's. */
  goalRatio?: number;
}

/** Contenders that do one job, beside a peer that shows what the job costs at least. */
export interface Comparison {
  title: string;
  /** How much one run does. */
  work: { messages: number; bytes: number };
  peer: Contender;
  contenders: Contender[];
}

/** What the file of a suite exports as `default`: a function that prepares and gives it. */
export interface Suite {
  comparisons: Comparison[];
  close?(): Promise<void>;
}

export interface Row {
  name: string;
  microsecondsPerMessage: number;
  megabytesPerSecond: number;
  /** Median of the rounds' ratios to the peer. */
  ratio: number;
  goalRatio?: number;
  goalReached?: boolean;
}

export interface Report {
  title: string;
  rounds: number;
  rows: Row[];
}

const WARM_UP_MS = 100;
const SAMPLE_MS = 10;
const ROUNDS = 31;

/**
 * In each round every contender has its turn, so that a slow spell of the machine meets all of them;
 * the medians then forget the rounds that it spoilt. Hence many short rounds, not a few long ones.
 */
export async function compare({ title, work, peer, contenders }: Comparison): Promise<Report> {
  const peerEntry = await warmUp(peer);
  const entries = [peerEntry];
  for (const contender of contenders) entries.push(await warmUp(contender));

  for (let round = 0; round < ROUNDS; round += 1) {
    for (const entry of entries) entry.runMs.push(await measureRunMs(entry));
  }
  return { title, rounds: ROUNDS, rows: entries.map((entry) => rowOf(entry, peerEntry, work)) };
}

interface Entry {
  contender: Contender;
  /** So many runs that one sample lasts long enough for the clock. */
  runsPerSample: number;
  /** Per round, the time of one run. */
  runMs: number[];
}

async function warmUp(contender: Contender): Promise<Entry> {
  const start = performance.now();
  let runs = 0;
  let elapsedMs = 0;
  while (elapsedMs < WARM_UP_MS) {
    await contender.run();
    runs += 1;
    elapsedMs = performance.now() - start;
  }
  return { contender, runsPerSample: Math.ceil((runs * SAMPLE_MS) / elapsedMs), runMs: [] };
}

async function measureRunMs({ contender, runsPerSample }: Entry): Promise<number> {
  const start = performance.now();
  for (let run = 0; run < runsPerSample; run += 1) await contender.run();
  return (performance.now() - start) / runsPerSample;
}

function rowOf(entry: Entry, peer: Entry, work: Comparison["work"]): Row {
  const { name, goalRatio } = entry.contender;
  const runMs = median(entry.runMs);
  const ratio = median(entry.runMs.map((ms, round) => ms / peer.runMs[round]!));
  return {
    name,
    microsecondsPerMessage: (runMs * 1000) / work.messages,
    megabytesPerSecond: work.bytes / runMs / 1000,
    ratio,
    ...(goalRatio !== undefined && { goalRatio, goalReached: ratio <= goalRatio }),
  };
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The report as a table for people. */
export function tableOf({ title, rows }: Report): string {
  const cells = rows.map((row) => [
    row.name,
    `${row.microsecondsPerMessage.toFixed(2)} µs`,
    `${row.megabytesPerSecond.toFixed(0)} MB/s`,
    `× ${row.ratio.toFixed(2)}`,
    row.goalRatio === undefined
      ? ""
      : `≤ ${row.goalRatio.toFixed(2)} ${row.goalReached ? "✓" : "✗"}`,
  ]);
  const table = [["", "a message", "throughput", "ratio", "goal"], ...cells];
  const widths = table[0]!.map((_, column) =>
    Math.max(...table.map((line) => line[column]!.length)),
  );
  const lines = table.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!),
      )
      .join("   ")
      .trimEnd(),
  );
  return [title, ...lines.map((line) => `  ${line}`), ""].join("\n");
}

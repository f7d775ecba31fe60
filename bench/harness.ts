/** Something to be timed: one run does the same work, however often it is repeated. */
export interface Contender {
  name: string;
  /** Gives back the milliseconds that count, where it also does what is not to be timed. */
  run(): void | number | Promise<void | number>;
  /** The most time it may take, as a multiple of the peer's. */
  goalRatio?: number;
}

/** What would be in a table, if it could be measured here. */
export interface Absence {
  name: string;
  reason: string;
}

/** Contenders that do one job, beside a peer that shows what the job costs at least. */
export interface Comparison {
  title: string;
  /** How much one run does. No bytes means that their number does not matter. */
  work: { messages: number; bytes: number };
  /** Time of the processor is right for work that never waits: other programs hardly disturb it. */
  clock: keyof typeof clocksMs;
  /** Fewer than usual, for runs that take long. */
  rounds?: number;
  peer: Contender;
  contenders: Contender[];
  absent?: Absence[];
  /** In what the contenders differ beside their time. */
  notes?: string[];
}

/** Figures that are no times beside a peer's: sizes, counts, differences, limits. */
export interface Survey {
  title: string;
  measure(): Promise<Figure[]>;
  absent?: Absence[];
}

export interface Figure {
  name: string;
  value: number;
  unit: string;
  goal?: { atMost: number } | { atLeast: number };
}

/** What the file of a suite exports as `default`: a function that prepares and gives it. */
export interface Suite {
  comparisons: Comparison[];
  /** Measured after the comparisons. */
  surveys?: Survey[];
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
  clock: Comparison["clock"];
  rounds: number;
  rows: Row[];
  absent: Absence[];
  notes: string[];
}

export interface SurveyReport {
  title: string;
  figures: (Figure & { goalReached?: boolean })[];
  absent: Absence[];
}

const clocksMs = {
  wall: () => performance.now(),
  processor() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
};

// A test that only wants to see the bench run makes both small.
const { BENCH_WARM_UP_MS = "100", BENCH_ROUNDS } = process.env;
const WARM_UP_MS = Number(BENCH_WARM_UP_MS);
const SAMPLE_MS = 10;
const ROUNDS = 31;

/**
 * In each round every contender has its turn, so that a slow spell of the machine meets all of them;
 * the medians then forget the rounds that it spoilt. Hence many short rounds, not a few long ones.
 */
export async function compare(comparison: Comparison): Promise<Report> {
  const {
    title,
    work,
    clock,
    rounds: usualRounds = ROUNDS,
    peer,
    contenders,
    absent = [],
    notes = [],
  } = comparison;
  const rounds = Number(BENCH_ROUNDS ?? usualRounds);
  const nowMs = clocksMs[clock];
  const peerEntry = await warmUp(peer, nowMs);
  const entries = [peerEntry];
  for (const contender of contenders) entries.push(await warmUp(contender, nowMs));

  for (let round = 0; round < rounds; round += 1) {
    for (const entry of entries) entry.runMs.push(await measureRunMs(entry, nowMs));
  }
  const rows = entries.map((entry) => rowOf(entry, peerEntry, work));
  return { title, clock, rounds, rows, absent, notes };
}

export async function survey(each: Survey): Promise<SurveyReport> {
  const figures = await each.measure();
  return { title: each.title, figures: figures.map(judge), absent: each.absent ?? [] };
}

function judge(figure: Figure): SurveyReport["figures"][number] {
  const { value, goal } = figure;
  if (!goal) return figure;
  const goalReached = "atMost" in goal ? value <= goal.atMost : value >= goal.atLeast;
  return { ...figure, goalReached };
}

interface Entry {
  contender: Contender;
  /** So many runs that one sample lasts long enough for the clock. */
  runsPerSample: number;
  /** Per round, the time of one run. */
  runMs: number[];
}

async function warmUp(contender: Contender, nowMs: () => number): Promise<Entry> {
  let runs = 0;
  let elapsedMs = 0;
  while (elapsedMs < WARM_UP_MS) {
    elapsedMs += await timeRunMs(contender, nowMs);
    runs += 1;
  }
  return { contender, runsPerSample: Math.ceil((runs * SAMPLE_MS) / elapsedMs), runMs: [] };
}

async function measureRunMs(entry: Entry, nowMs: () => number): Promise<number> {
  const { contender, runsPerSample } = entry;
  let elapsedMs = 0;
  for (let run = 0; run < runsPerSample; run += 1) elapsedMs += await timeRunMs(contender, nowMs);
  return elapsedMs / runsPerSample;
}

async function timeRunMs(contender: Contender, nowMs: () => number): Promise<number> {
  const start = nowMs();
  const countedMs = await contender.run();
  return countedMs ?? nowMs() - start;
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

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

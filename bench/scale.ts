import { setTimeout as delay } from "node:timers/promises";
import type { Figure, Suite, Survey } from "./harness.ts";
import type { Uses } from "./scale/team-process.ts";
import { TeamProcess } from "./scale/team-process.ts";

const LIVE = 4;
const FEW = 10;
const MANY = 310;
const SETTLE_MS = 3000;
const IDLE_MS = 20_000;

const live: Survey = {
  title: `An agent that is awake and idle (of ${LIVE}, rehearsed)`,
  async measure() {
    const { before, after } = await watch(LIVE, 0);
    const agent = (["host", "cli", "bridge"] as const).map((kind) => ({
      kind,
      megabytes: after[kind].megabytes / LIVE,
      startMs: before[kind].cpuMs / LIVE,
      idleMs: (after[kind].cpuMs - before[kind].cpuMs) / LIVE,
    }));
    const sum = (of: "megabytes" | "startMs" | "idleMs"): number =>
      agent.reduce((total, each) => total + each[of], 0);
    return [
      ...agent.map(({ kind, megabytes }): Figure => ({ name: kind, value: megabytes, unit: "MB" })),
      { name: "all three", value: sum("megabytes"), unit: "MB" },
      { name: "processor time for its start", value: sum("startMs"), unit: "ms" },
      { name: "processor, idle", value: (sum("idleMs") / IDLE_MS) * 100, unit: "% of a core" },
      { name: "the team's process", value: after.team.megabytes, unit: "MB" },
    ];
  },
};

const hibernated: Survey = {
  title: `An agent that hibernates (${MANY} beside ${FEW})`,
  async measure() {
    const few = await watch(1, FEW);
    const many = await watch(1, MANY);
    const perAgent = (of: (uses: Uses) => number): number =>
      (of(many.after) - of(few.after)) / (MANY - FEW);
    const idle = many.after.team.cpuMs - many.before.team.cpuMs;
    return [
      {
        name: "in the team's process",
        value: perAgent(({ team }) => team.megabytes * 1024),
        unit: "kB",
      },
      {
        name: "processor time for its start",
        value: perAgent(({ team }) => team.cpuMs),
        unit: "ms",
      },
      { name: `the team's process with ${MANY}`, value: many.after.team.megabytes, unit: "MB" },
      { name: "its processor, idle", value: (idle / IDLE_MS) * 100, unit: "% of a core" },
    ];
  },
};

/** What is used when all are up, and after some time in which nothing happens. */
async function watch(awake: number, asleep: number): Promise<{ before: Uses; after: Uses }> {
  const team = new TeamProcess();
  try {
    await team.start(awake, asleep);
    await delay(SETTLE_MS);
    const before = team.uses;
    await delay(IDLE_MS);
    return { before, after: team.uses };
  } finally {
    await team.close();
  }
}

export default function scaleSuite(): Suite {
  return { comparisons: [], surveys: [live, hibernated] };
}

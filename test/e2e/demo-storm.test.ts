import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteBus } from "../../src/bus/sqlite/open-sqlite-bus.ts";
import { seededRandom } from "../../src/rehearsal/seeded-random.ts";
import {
  judgeApprovals,
  judgeJournal,
  judgeSpending,
  judgeTasks,
} from "../support/demo-storm/books.ts";
import { demoTeam } from "../support/demo-storm/demo-team.ts";
import { DemoStorm } from "../support/demo-storm/storm.ts";
import type { Strike } from "../support/demo-storm/strikes.ts";
import { plan } from "../support/demo-storm/strikes.ts";
import { copyFiles, keepEvidenceOfTest } from "../support/evidence.ts";
import { TeamStage } from "../support/team-stage.ts";

const { DEMO_STORM_ROUNDS, DEMO_STORM_SEED = "1", DEMO_STORM_KEEP } = process.env;
const ROUND_MS = 300_000;

/** Two by default, so that a run stays short; a long storm takes DEMO_STORM_ROUNDS=50. */
const rounds: Strike[][] =
  DEMO_STORM_ROUNDS === undefined
    ? [
        // The turn that the first one cuts short is heard of twice, because of the second.
        [
          { victim: "middle_manager cli", moment: "leave asked for", skip: 0, laterMs: 0 },
          { victim: "team", moment: "tool called", skip: 0, laterMs: 0 },
        ],
        [{ victim: "testing_specialist host", moment: "leave asked for", skip: 1, laterMs: 0 }],
      ]
    : plan(Number(DEMO_STORM_ROUNDS), seededRandom(Number(DEMO_STORM_SEED)));

test(
  "the demo's team survives kills: its tasks complete, turns are paid for once, no approval is lost",
  { timeout: rounds.length * ROUND_MS + 120_000 },
  async () => {
    const stage = new TeamStage(demoTeam(), "");
    mkdirSync(stage.work);
    keep(stage);
    const storm = await DemoStorm.begin(stage);
    onTestFinished(() => storm.close());

    // The last one in peace.
    for (const strikes of [...rounds, []]) {
      const beganMs = performance.now();
      const { text, struck } = await storm.round(strikes);
      const job = storm.jobs.length;
      if (DEMO_STORM_ROUNDS !== undefined) {
        const what = struck.map(({ victim, moment, skip }) => `${victim} at ${moment} +${skip}`);
        const seconds = Math.round((performance.now() - beganMs) / 1000);
        process.stdout.write(`demo storm: ${job} ${what.join(", ") || "peace"}: ${seconds} s\n`);
      }
      expect(text).toBe(`It is done. Program-${job} works.`);
      expect(readFileSync(join(stage.work, `greet-${job}.mjs`), "utf8")).toContain(
        "Hello, ${name}!",
      );
    }

    const { told, wrong } = storm.timeline;
    expect(wrong).toEqual([]);
    expect(judgeTasks(told, storm.jobs)).toEqual([]);
    expect(judgeApprovals(told)).toEqual([]);
    const { out } = await stage.run("status", "--json", "--state-dir", stage.stateDir);
    expect(JSON.parse(out)).toMatchObject({ open_tasks: 0, dead_letters: 0, refusals: 0 });

    await stage.run("down", "--state-dir", stage.stateDir);
    expect(await storm.run.exited).toBe(0);
    expect(stage.processes()).toEqual([]);
    expect(stage.sockets()).toEqual([]);

    const bus = await openSqliteBus(join(stage.stateDir, "bus.db"));
    onTestFinished(() => bus.close());
    expect(await judgeSpending(stage.stateDir, bus.records, told, storm.jobs)).toEqual([]);
    expect(await judgeJournal(stage.stateDir, bus.records, storm.struck)).toEqual([]);
  },
);

function keep({ root }: TeamStage): void {
  const seed = `DEMO_STORM_SEED=${DEMO_STORM_SEED}`;
  keepEvidenceOfTest({ storm: "demo-storm", seed, directory: DEMO_STORM_KEEP }, (to) =>
    copyFiles(root, to),
  );
}

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { copyFiles, explainFailure } from "../evidence.ts";
import type { TeamStage } from "../team-stage.ts";

/** What no process wrote to a file of the stage. */
export interface Told {
  timeline?: readonly unknown[];
  /** What was found to be wrong, and which processes there were then. */
  failure?: { error: unknown; processes: readonly { pid: number; command: string }[] };
}

/** Copies a stage with its state, journal and logs, and its timeline, to find out what went wrong. */
export function keepStage(stage: TeamStage, directory: string, told: Told): void {
  copyFiles(stage.root, directory);
  for (const [index, run] of stage.runs.entries()) {
    writeFileSync(join(directory, `team-process-${index + 1}.log`), run.errors);
  }
  const lines = (told.timeline ?? []).map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(join(directory, "timeline.jsonl"), lines.join(""));
  if (told.failure) {
    const { error, processes } = told.failure;
    const list = processes.map(({ pid, command }) => `${pid} ${command}`);
    writeFileSync(
      join(directory, "failure.txt"),
      [explainFailure(error), "", ...list, ""].join("\n"),
    );
  }
}

import { cpSync, lstatSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TeamStage } from "../team-stage.ts";

/** What nobody wrote to a file of the stage. */
export interface Told {
  timeline?: readonly unknown[];
  /** What was found to be wrong, and which processes there were then. */
  failure?: { error: unknown; processes: readonly { pid: number; command: string }[] };
}

/** A directory that stays. */
export const keptDirectory = (): string => mkdtempSync(join(tmpdir(), "team-storm-"));

/** Copies a stage with its state, journal and logs, and what was told, for whoever has to find out what went wrong. */
export function keepStage(stage: TeamStage, directory: string, told: Told): void {
  mkdirSync(directory, { recursive: true });
  cpSync(stage.root, directory, { recursive: true, filter: isCopied });
  for (const [index, run] of stage.runs.entries()) {
    writeFileSync(join(directory, `team-process-${index + 1}.log`), run.errors);
  }
  const lines = (told.timeline ?? []).map((event) => `${JSON.stringify(event)}\n`);
  writeFileSync(join(directory, "timeline.jsonl"), lines.join(""));
  if (told.failure) {
    const { error, processes } = told.failure;
    const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const list = processes.map(({ pid, command }) => `${pid} ${command}`);
    writeFileSync(join(directory, "failure.txt"), [words, "", ...list, ""].join("\n"));
  }
}

/** A socket or a pipe cannot be copied. */
function isCopied(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink());
}

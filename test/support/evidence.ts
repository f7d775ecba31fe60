import { cpSync, lstatSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { onTestFinished } from "vitest";

/** A directory that stays after the test. */
export const keptDirectory = (storm: string): string => mkdtempSync(join(tmpdir(), `${storm}-`));

/** Copies files, directories and links. A socket or a pipe cannot be copied. */
export function copyFiles(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  cpSync(from, to, { recursive: true, filter: isCopied });
}

function isCopied(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink());
}

/** An error's stack, and in full what a failed expectation found and what it expected. */
export function explainFailure(error: unknown): string {
  const words = error instanceof Error ? (error.stack ?? error.message) : inspect(error);
  if (typeof error !== "object" || error === null || !("expected" in error)) return words;
  const { actual, expected } = error as { actual?: unknown; expected: unknown };
  return `${words}\nfound: ${inWhole(actual)}\nexpected: ${inWhole(expected)}`;
}

const inWhole = (value: unknown): string =>
  typeof value === "string" ? value : inspect(value, { depth: 12, maxArrayLength: 200 });

export interface StormEnd {
  readonly storm: string;
  /** The variable that plays the storm again, as `NAME=VALUE`. */
  readonly seed: string;
  /** Where the caller wants the evidence, whether or not the storm failed. */
  readonly directory: string | undefined;
  readonly errors: readonly unknown[];
}

/**
 * Keeps the evidence of a storm that failed, or of any storm when a directory was asked for, and prints
 * where it is and what differed.
 */
export function keepEvidence(
  { storm, seed, directory, errors }: StormEnd,
  copyTo: (directory: string) => void,
): void {
  if (directory === undefined && errors.length === 0) return;
  const kept = directory ?? keptDirectory(storm);
  copyTo(kept);
  if (errors.length === 0) return;
  const why = errors.map(explainFailure).join("\n\n");
  writeFileSync(join(kept, "failure.txt"), `${seed}\n${why}\n`);
  process.stdout.write(`${storm}: failed; ${seed}; the evidence is in ${kept}\n${why}\n`);
}

/**
 * The same for the running test, when it has ended in whatever way. Call it once the stage is there: what the test
 * starts later has ended by then, and what it has made before is still there.
 */
export function keepEvidenceOfTest(
  end: Omit<StormEnd, "errors">,
  copyTo: (directory: string) => void,
): void {
  onTestFinished(({ task }) => keepEvidence({ ...end, errors: task.result?.errors ?? [] }, copyTo));
}

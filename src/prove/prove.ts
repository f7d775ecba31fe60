import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { onExit } from "../net/clean-up-at-exit.ts";
import { errorOf } from "../wire/errors.ts";
import { proofCases } from "./cases.ts";
import type { CliUnderProof } from "./cli-under-proof.ts";
import { playCase } from "./play-case.ts";
import type { ProofCase } from "./proof-case.ts";
import type { CaseReport, ProofReport } from "./proof-report.ts";
import { makeReport, reportCase } from "./proof-report.ts";

export interface ProveOptions {
  readonly cli: CliUnderProof;
  /** Names of cases; all by default. */
  readonly only?: readonly string[];
  /** A directory for what failed cases leave: the session's log, the CLI's files, the model's requests. */
  readonly keep?: string;
  /** Stops the proof in order. */
  readonly signal: AbortSignal;
  readonly onCase: (report: CaseReport, number: number, of: number) => void;
}

/**
 * Plays the cases one after the other, each on a session and in a directory of its own. If the first fails, the CLI
 * does not work at all, and the others are not run.
 *
 * @throws `invalid_params` for an unknown case; the signal's reason.
 */
export async function prove(options: ProveOptions): Promise<ProofReport> {
  const chosen = chooseCases(options.only);
  const startedAt = performance.now();
  const root = realpathSync(mkdtempSync(join(tmpdir(), "switchboard-prove-")));
  const remove = (): void => rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  const forget = onExit(remove);
  const reports: CaseReport[] = [];
  try {
    for (const [index, proofCase] of chosen.entries()) {
      options.signal.throwIfAborted();
      const isHopeless = reports.some(
        ({ name, outcome }) => name === basis && outcome === "failed",
      );
      const report = isHopeless ? notRun(proofCase) : await run(proofCase, root, options);
      reports.push(report);
      options.onCase(report, index + 1, chosen.length);
    }
  } finally {
    remove();
    forget();
  }
  const durationMs = Math.round(performance.now() - startedAt);
  return makeReport(options.cli, reports, chosen.length < proofCases.length, durationMs);
}

/** The case without which no other makes sense. */
const basis = proofCases[0]?.name;

function chooseCases(only: readonly string[] | undefined): readonly ProofCase[] {
  if (only === undefined) return proofCases;
  const unknown = only.filter((name) => !proofCases.some((each) => each.name === name));
  if (unknown.length > 0) {
    throw errorOf("invalid_params", `There is no case ${unknown.join(", ")}.`, {
      hint: "'switchboard prove --list' lists the cases.",
    });
  }
  return proofCases.filter(({ name }) => only.includes(name));
}

async function run(
  proofCase: ProofCase,
  parent: string,
  { cli, keep, signal }: ProveOptions,
): Promise<CaseReport> {
  const root = join(parent, proofCase.name);
  mkdirSync(root, { mode: 0o700 });
  const startedAt = performance.now();
  const faults = await playCase(proofCase, { root, claudePath: cli.path, signal });
  const durationMs = Math.round(performance.now() - startedAt);
  if (faults.length > 0 && keep !== undefined) {
    const kept = join(resolve(keep), proofCase.name);
    cpSync(root, kept, { recursive: true, force: true, filter: isFile });
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  return reportCase(proofCase, cli, faults, durationMs);
}

/** Sockets cannot be copied. */
const isFile = (path: string): boolean => !path.endsWith(".sock");

const notRun = ({ name, title }: ProofCase): CaseReport => ({
  name,
  title,
  outcome: "not_run",
  faults: [],
  duration_ms: 0,
});

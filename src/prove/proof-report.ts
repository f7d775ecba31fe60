import { provenVersions } from "../engine/cli-support.ts";
import type { CliUnderProof } from "./cli-under-proof.ts";
import type { ProofCase } from "./proof-case.ts";

/** What became of one case. */
export interface CaseReport {
  readonly name: string;
  readonly title: string;
  /** `off`: it fails on this version, and sessions on unproven versions do not use it. */
  readonly outcome: "passed" | "failed" | "off" | "not_run";
  /** What is wrong, as sentences; empty when it passed or was not run. */
  readonly faults: readonly string[];
  readonly duration_ms: number;
}

/** What became of all of them. */
export interface ProofReport {
  readonly cli: CliUnderProof;
  readonly cases: readonly CaseReport[];
  readonly passed: number;
  readonly failed: number;
  readonly off: number;
  readonly not_run: number;
  readonly duration_ms: number;
  /** Every case there is was run, and passed. */
  readonly proven: boolean;
  /** What this package knew of the version before, and what follows from the proof. */
  readonly advice: string;
}

/** A case that was run, with the faults that were found. */
export function reportCase(
  { name, title, offUnlessProven }: Pick<ProofCase, "name" | "title" | "offUnlessProven">,
  { kind }: Pick<CliUnderProof, "kind">,
  faults: readonly string[],
  durationMs: number,
): CaseReport {
  const report = { name, title, duration_ms: durationMs };
  if (faults.length === 0) return { ...report, outcome: "passed", faults };
  if (kind === "proven" || offUnlessProven === undefined) {
    return { ...report, outcome: "failed", faults };
  }
  return { ...report, outcome: "off", faults: [offUnlessProven, ...faults] };
}

export function makeReport(
  cli: CliUnderProof,
  cases: readonly CaseReport[],
  isSelection: boolean,
  durationMs: number,
): ProofReport {
  const count = (outcome: CaseReport["outcome"]): number =>
    cases.filter((each) => each.outcome === outcome).length;
  const counts = {
    passed: count("passed"),
    failed: count("failed"),
    off: count("off"),
    not_run: count("not_run"),
  };
  const proven = !isSelection && cases.length > 0 && counts.passed === cases.length;
  const advice = `${knownOf(cli)} ${adviceFor(cli, counts, isSelection)}`;
  return { cli, cases, ...counts, duration_ms: durationMs, proven, advice };
}

const knownOf = ({ version, kind, off }: CliUnderProof): string =>
  kind === "proven"
    ? `${version} is in the range of proven versions (${provenVersions}).`
    : [`${version} is not in the range of proven versions (${provenVersions}).`, ...off].join(" ");

type Counts = Pick<ProofReport, "passed" | "failed" | "off" | "not_run">;

function adviceFor({ version, kind }: CliUnderProof, counts: Counts, isSelection: boolean): string {
  if (counts.failed > 0) {
    const remedy = kind === "proven" ? `, or put ${version} into its exceptions` : "";
    return `Do not rely on it before the faults above are mended${remedy}.`;
  }
  if (isSelection) return "Only some cases were run, which proves nothing about the others.";
  if (counts.off > 0) return "Sessions work on it, except for what is off.";
  if (kind === "proven") return "Every case passed.";
  return `Every case passed: after the long runs of CONTRIBUTING.md, widen provenRange in src/engine/cli-support.ts to ${version}.`;
}

import { styleText } from "node:util";
import { Command } from "commander";
import type { CaseReport, ProofReport } from "../prove/proof-report.ts";
import { errorOf } from "../wire/errors.ts";
import { listenForInterruption } from "./listen-for-interruption.ts";
import { print, printJson, table } from "./team/print-for-people.ts";

const examples = `
Examples:
  switchboard prove       prove the CLI that this package brings
  switchboard prove --claude-path ~/.local/bin/claude
                          prove another CLI
  switchboard prove --only message host-killed-while-asked --keep evidence
                          run two cases; keep the files of failed ones

A script plays the model: you need no key, and nothing of yours is read or
changed. Each case starts agent-socket with that CLI in a temporary directory,
and kills or stops processes as the case says.

On a version outside the proven range, sessions do without some features. If a
case about such a feature fails there, it is marked "off" (○), and the proof
does not fail.

Exit codes: 0 no case failed, 76 a case failed, 69 the CLI cannot run or is too
old, 130 interrupted.`;

interface ProveFlags {
  claudePath?: string;
  only?: string[];
  keep?: string;
  list?: boolean;
  json?: boolean;
}

/** `switchboard prove`: does everything that sessions rely on work with this CLI? For people and for CI. */
export function proveCommand(): Command {
  return new Command("prove")
    .description("test whether sessions and recovery work with a Claude Code CLI")
    .option("--claude-path <file>", "the CLI to prove (default: the one that this package brings)")
    .option("--only <name...>", "run only these cases; --list shows their names")
    .option("--keep <dir>", "keep the logs, transcripts and requests of failed cases here")
    .option("--list", "list the cases without running them")
    .option("--json", "print each case, and then the report, as one line of JSON")
    .addHelpText("after", examples)
    .action(proveCli);
}

async function proveCli(flags: ProveFlags): Promise<void> {
  // Loaded on demand: other commands do not need the Agent SDK.
  const { proofCases } = await import("../prove/cases.ts");
  if (flags.list === true) return list(proofCases, flags.json === true);
  const { findCliUnderProof } = await import("../prove/cli-under-proof.ts");
  const { prove } = await import("../prove/prove.ts");
  using interruption = listenForInterruption();
  const stop = new AbortController();
  const interrupted = errorOf("aborted", "The proof was interrupted.", {
    hint: "Run it again; nothing was left behind.",
  });
  void interruption.first.then(() => stop.abort(interrupted));
  const cli = await findCliUnderProof(flags.claudePath);
  if (flags.json !== true) print(paint("bold", `Claude Code ${cli.version} (${cli.path})`));
  const report = await prove({
    cli,
    ...(flags.only && { only: flags.only }),
    ...(flags.keep !== undefined && { keep: flags.keep }),
    signal: stop.signal,
    onCase: flags.json === true ? (each) => printJson({ type: "case", ...each }) : printCase,
  });
  if (flags.json === true) printJson({ type: "report", ...report });
  else printReport(report);
  if (report.failed === 0) return;
  throw errorOf("proof_failed", `${report.failed} of ${report.cases.length} cases failed.`);
}

function list(cases: readonly { name: string; title: string }[], json: boolean): void {
  if (json) for (const { name, title } of cases) printJson({ name, title });
  else print(table(cases.map(({ name, title }) => [name, title])));
}

const signs = { passed: "✓", failed: "✗", off: "○", not_run: "-" } as const;
const colours = { passed: "green", failed: "red", off: "yellow", not_run: "dim" } as const;

function printCase(
  { outcome, title, name, ...rest }: CaseReport,
  number: number,
  of: number,
): void {
  const place = `${String(number).padStart(String(of).length)}/${of}`;
  const sign = paint(colours[outcome], signs[outcome]);
  const time = outcome === "not_run" ? "not run" : `${(rest.duration_ms / 1000).toFixed(1)} s`;
  print(`${place} ${sign} ${title} ${paint("dim", `(${name}, ${time})`)}`);
  for (const fault of rest.faults) print(paint(colours[outcome], `      ${fault}`));
}

function printReport({ passed, failed, off, not_run, duration_ms, advice }: ProofReport): void {
  const parts = [`${passed} passed`, `${failed} failed`];
  if (off > 0) parts.push(`${off} off`);
  if (not_run > 0) parts.push(`${not_run} not run`);
  print(paint("bold", `\n${parts.join(", ")}, in ${Math.round(duration_ms / 1000)} s.`));
  print(advice);
}

const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout });

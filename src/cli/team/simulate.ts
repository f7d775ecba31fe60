import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import type { StartedTeam } from "../../team/index.ts";
import { loadTeam, removeTeam, startTeam } from "../../team/index.ts";
import { ClaudeCodeError, errorOf } from "../../wire/errors.ts";
import type { TeamEvent, TeamEventOf } from "../../wire/team/events.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";
import { oneLine } from "./one-line.ts";
import { words } from "./request-by-id.ts";
import { positiveNumber, print, printJson } from "./print-for-people.ts";
import { Simulation } from "./run-simulation.ts";

const examples = `
Examples:
  switchboard simulate team.yaml script.yaml --send "Build it" --expect "built"
                         exit code 0 if the lead's answer contains "built"
  switchboard simulate team.yaml script.yaml --send one --send two --json

The agents really work: they write files in their working directories, as the
script tells them to. Their worktrees are removed at the end.

The simulation also fails when
  - the lead fails, or there is no answer in time
  - the script has no answer for a request
  - an agent waits for a person: let the policy of the team file decide
  - a rule of the team refuses a message, unless --allow-refusals is given
  - a message cannot be delivered

Exit codes: 0 as expected, 70 not as expected, 75 no answer in time,
65 a mistake in one of the files.`;

interface SimulateFlags {
  send: string[];
  expect?: string;
  timeout: number;
  allowRefusals?: boolean;
  json?: boolean;
}

const collect = (text: string, before: string[] = []): string[] => [...before, words(text)];

/** `switchboard simulate TEAM SCRIPT`: a team on a script, judged by what came of it. For CI. */
export function simulateCommand(): Command {
  return new Command("simulate")
    .description("run a team on a scripted model and check its answer, for tests")
    .argument("<team>", "a team file")
    .argument("<script>", "a rehearsal script")
    .requiredOption("--send <text>", "a message to the lead; may be given several times", collect)
    .option("--expect <words>", "the last answer must contain these words")
    .option("--timeout <seconds>", "how long to wait for each answer", positiveNumber, 120)
    .option("--allow-refusals", "do not fail when a rule of the team refuses a message")
    .option("--json", "print every event as one line of JSON")
    .addHelpText("after", examples)
    .action(simulate);
}

async function simulate(file: string, script: string, flags: SimulateFlags): Promise<void> {
  const { json = false } = flags;
  using interruption = listenForInterruption();
  const stateDir = mkdtempSync(join(tmpdir(), "switchboard-simulate-"));
  try {
    const team = await loadTeam(file);
    const up = await startTeam({ team, stateDir, rehearsal: script });
    try {
      const by = await Promise.race([interruption.first, play(up, flags, json)]);
      if (by !== undefined) throw interrupted(by);
    } finally {
      await up.down();
    }
  } finally {
    await removeTeam(stateDir);
  }
}

const interrupted = (signal: string) =>
  errorOf("aborted", `The simulation was interrupted by ${signal}.`, {
    hint: "No process was left running.",
  });

/** What the team refuses is an outcome of the simulation, whatever the refusal's own exit code. */
function refusedBy(error: unknown): never {
  if (!(error instanceof ClaudeCodeError) || error.code === "timeout") throw error;
  throw errorOf("execution_failed", `The simulation failed:\n- refused: ${error.message}`, {
    cause: error,
    hint: "Change the rule or the budget in the team file, or what is sent.",
  });
}

async function play(team: StartedTeam, flags: SimulateFlags, json: boolean): Promise<void> {
  const { send, expect, timeout, allowRefusals = false } = flags;
  const events: TeamEvent[] = [];
  team.follow((event) => {
    events.push(event);
    if (json) printJson(event);
  });
  const simulation = new Simulation(team, events);
  let last: TeamEventOf<"answered"> | undefined;
  for (const text of send) {
    if (!json) process.stderr.write(`Waiting for the answer to ${JSON.stringify(text)} …\n`);
    last = await simulation.say(text, timeout * 1000).catch(refusedBy);
    if (last && !json) print(`${text}\n  → ${oneLine(last.text, 300)}`);
    if (!last || last.failed) break;
  }
  const expected = { allowRefusals, ...(expect !== undefined && { expect }) };
  const problems = await simulation.problems(last, expected);
  if (problems.length === 0) return;
  const list = problems.map((problem) => `\n- ${problem}`).join("");
  throw errorOf("execution_failed", `The simulation failed:${list}`, {
    hint: "Run it with --json to see every event.",
  });
}

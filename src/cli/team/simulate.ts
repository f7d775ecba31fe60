import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { removeSocketPlaces } from "../../team/agents/agent-place.ts";
import { Feed } from "../../team/control/feed.ts";
import { loadTeam } from "../../team/file/load-team.ts";
import type { RunningTeam } from "../../team/running-team.ts";
import { bringTeamUp } from "../../team/up.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamEvent, TeamEventOf } from "../../wire/team-events.ts";
import { listenForInterruption } from "../interruption.ts";
import { version } from "../version.ts";
import { brief } from "./brief.ts";
import { words } from "./named.ts";
import { positiveNumber, print, printJson } from "./print.ts";
import { Simulation } from "./simulation.ts";

const examples = `
Examples:
  switchboard simulate team.yaml script.yaml --send "Build it" --expect "It is built"
                                      run the team on a script; exit code 0 when the answer has these words
  switchboard simulate team.yaml script.yaml --send one --send two --json > events.jsonl

It also fails when the lead fails, when a request came that the script has no answer for, when an agent
waits for a person (let the team file's policy decide), when a rule of the team refused a message (allow that
with --allow-refusals), and when a message could not be delivered.
Exit codes: 0 all is as expected, 70 it is not, 75 no answer in time, 65 a mistake in one of the files.`;

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
    .description("run a team on a scripted model and judge the outcome, for tests")
    .argument("<team>", "a team file")
    .argument("<script>", "a rehearsal script")
    .requiredOption("--send <text>", "what the user says; may be given several times", collect)
    .option("--expect <words>", "the last answer must hold these words")
    .option("--timeout <seconds>", "for each answer", positiveNumber, 120)
    .option("--allow-refusals", "messages that a rule refuses are part of the plan")
    .option("--json", "print every event as a line of JSON")
    .addHelpText("after", examples)
    .action(simulate);
}

async function simulate(file: string, script: string, flags: SimulateFlags): Promise<void> {
  const { json = false } = flags;
  using interruption = listenForInterruption();
  const stateDir = mkdtempSync(join(tmpdir(), "switchboard-simulate-"));
  try {
    const team = await loadTeam(file);
    const up = await bringTeamUp({ team, stateDir, rehearsal: script, version });
    try {
      const by = await Promise.race([interruption.first, play(up.team, flags, json)]);
      if (by !== undefined) throw interrupted(by);
    } finally {
      await up.down();
      removeSocketPlaces(stateDir, up.team.agents.keys());
    }
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

const interrupted = (signal: string) =>
  errorOf("aborted", `The simulation was interrupted by ${signal}.`, {
    hint: "Nothing of it was left running.",
  });

async function play(team: RunningTeam, flags: SimulateFlags, json: boolean): Promise<void> {
  const { send, expect, timeout, allowRefusals = false } = flags;
  const events: TeamEvent[] = [];
  const feed = new Feed(team.office.timeline, async (event) => {
    events.push(event);
    if (json) printJson(event);
  });
  feed.moveTo(team.firstSeq);
  void feed.run();
  const simulation = new Simulation(team, events);
  let last: TeamEventOf<"answered"> | undefined;
  for (const text of send) {
    last = await simulation.say(text, timeout * 1000);
    if (last && !json) print(`${text}\n  → ${brief(last.text, 300)}`);
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

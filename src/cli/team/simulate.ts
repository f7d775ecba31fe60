import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { RehearsalClient } from "../../rehearsal/client.ts";
import { Feed } from "../../team/control/feed.ts";
import { loadTeam } from "../../team/file/load-team.ts";
import { bringTeamUp } from "../../team/up.ts";
import { errorOf } from "../../wire/errors.ts";
import type { TeamEvent, TeamEventOf } from "../../wire/team-events.ts";
import { version } from "../version.ts";
import { print, printJson } from "./print.ts";
import { brief } from "./timeline-line.ts";

const examples = `
Examples:
  switchboard simulate team.yaml script.yaml --send "Build it" --expect "It is built"
                                      run the team on a script; exit code 0 when the answer has these words
  switchboard simulate team.yaml script.yaml --send one --send two --json > events.jsonl

It also fails when a request came that the script has no answer for, when a rule of the team refused a
message (allow that with --allow-refusals), and when a message could not be delivered.`;

interface SimulateFlags {
  send: string[];
  expect?: string;
  timeout: string;
  allowRefusals?: boolean;
  json?: boolean;
}

const collect = (text: string, before: string[]): string[] => [...before, text];

/** `switchboard simulate TEAM SCRIPT`: a team on a script, judged by what came of it. For CI. */
export function simulateCommand(): Command {
  return new Command("simulate")
    .description("run a team on a scripted model and judge the outcome, for tests")
    .argument("<team>", "a team file")
    .argument("<script>", "a rehearsal script")
    .requiredOption("--send <text>", "what the user says; may be given several times", collect, [])
    .option("--expect <words>", "the last answer must hold these words")
    .option("--timeout <seconds>", "for each answer", "120")
    .option("--allow-refusals", "messages that a rule refuses are part of the plan")
    .option("--json", "print every event as a line of JSON")
    .addHelpText("after", examples)
    .action(simulate);
}

async function simulate(file: string, script: string, flags: SimulateFlags): Promise<void> {
  const stateDir = mkdtempSync(join(tmpdir(), "switchboard-simulate-"));
  const events: TeamEvent[] = [];
  try {
    const team = await loadTeam(file);
    const up = await bringTeamUp({ team, stateDir, rehearsal: script, version });
    try {
      const feed = new Feed(up.team.office.timeline, async (event) => {
        events.push(event);
        if (flags.json === true) printJson(event);
      });
      feed.moveTo(up.team.firstSeq);
      void feed.run();
      let last = "";
      for (const text of flags.send) {
        const id = await up.team.send(text);
        last = (await answerTo(id, events, Number(flags.timeout) * 1000)).text;
        if (flags.json !== true) print(`${text}\n  → ${brief(last, 300)}`);
      }
      await judge(last, events, stateDir, flags);
    } finally {
      await up.down();
    }
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}

async function answerTo(
  id: string,
  events: readonly TeamEvent[],
  withinMs: number,
): Promise<TeamEventOf<"answered">> {
  const deadline = performance.now() + withinMs;
  while (performance.now() < deadline) {
    const found = events.find((event) => event.type === "answered" && event.id === id);
    if (found?.type === "answered") return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw errorOf("timeout", `The lead has not answered within ${withinMs / 1000} s.`, {
    hint: "Give more time with --timeout, or look at the events with --json.",
  });
}

async function judge(
  answer: string,
  events: readonly TeamEvent[],
  stateDir: string,
  { expect, allowRefusals = false }: SimulateFlags,
): Promise<void> {
  const { url } = JSON.parse(readFileSync(join(stateDir, "rehearsal.json"), "utf8")) as {
    url: string;
  };
  const unanswered = await new RehearsalClient(url).failures();
  const refused = events.flatMap((event) => (event.type === "refused" ? [event] : []));
  const dead = events.filter((event) => event.type === "message_moved" && event.step === "dead");
  const problems = [
    ...(expect !== undefined && !answer.includes(expect)
      ? [`the answer does not hold ${JSON.stringify(expect)}: ${brief(answer, 200)}`]
      : []),
    ...unanswered.map(
      ({ agent, outcome }) =>
        `the script had no answer for ${agent ?? "a request"}: ${brief(outcome?.detail ?? "", 200)}`,
    ),
    ...(allowRefusals ? [] : refused.map(({ error }) => `refused: ${error.message}`)),
    ...(dead.length > 0 ? [`${dead.length} messages were not delivered`] : []),
  ];
  if (problems.length === 0) return;
  throw errorOf("execution_failed", `The simulation failed: ${problems.join("; ")}`, {
    hint: "Run it with --json to see every event.",
  });
}

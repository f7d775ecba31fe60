import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { Command } from "commander";
import { onExit } from "../net/on-exit.ts";
import { removeSocketPlaces } from "../team/agents/agent-place.ts";
import { Feed } from "../team/control/feed.ts";
import { loadTeam } from "../team/file/load-team.ts";
import type { RunningTeam } from "../team/running-team.ts";
import type { TeamUp } from "../team/up.ts";
import { bringTeamUp } from "../team/up.ts";
import { errorOf } from "../wire/errors.ts";
import type { TeamEvent, TeamEventOf } from "../wire/team-events.ts";
import { listenForInterruption } from "./interruption.ts";
import { shippedFile } from "./team/shipped.ts";
import { print } from "./team/print.ts";
import { TimelineLines } from "./team/timeline-line.ts";
import { version } from "./version.ts";

const request = "a small program that greets people";

const intro = `Switchboard: five agents, one task.
The model is rehearsed: a script on this machine plays its part, so no key
is needed and nothing leaves this machine. The Claude Code CLI, its tools,
the messages between agents and the rules are real.
`;

const outro = `
With a real model it is the same team:
  switchboard init --team five-roles
  ANTHROPIC_API_KEY=… switchboard up team.yaml
  switchboard send "${request}"   # from another terminal`;

interface DemoFlags {
  json?: boolean;
  stay?: boolean;
}

/** `switchboard demo`: the five roles at work on a rehearsed model, in a directory that is removed. */
export function demoCommand(): Command {
  return new Command("demo")
    .description("watch a team of five agents write and test a program; needs no key")
    .option("--stay", "keep the team running afterwards, until Ctrl+C")
    .option("--json", "print every event as a line of JSON")
    .action(demo);
}

async function demo({ json = false, stay = false }: DemoFlags): Promise<void> {
  using interruption = listenForInterruption();
  void interruption.first.then(() => json || process.stderr.write("Stopping the team …\n"));
  const root = mkdtempSync(join(tmpdir(), "switchboard-demo-"));
  const removeRoot = () => rmSync(root, { recursive: true, force: true });
  const forget = onExit(removeRoot);
  const work = join(root, "work");
  mkdirSync(work);
  // The person's own shell start-up files and settings have no part in a demo.
  process.env["HOME"] = root;
  if (!json) print(paint("bold", intro));
  const up = await bringTeamUp({
    team: await loadTeam(shippedFile("teams/five-roles.yaml"), work),
    stateDir: join(root, "state"),
    rehearsal: shippedFile("rehearsal/five-roles.yaml"),
    version,
  });
  try {
    const ended = await Promise.race([interruption.first, play(up, json)]);
    if (typeof ended === "string") return;
    if (!json) conclude(ended, work, stay ? join(root, "state") : undefined);
    if (ended.failed) throw errorOf("execution_failed", "The demo did not go as it should.");
    if (stay) await Promise.race([interruption.first, up.downAsked]);
  } finally {
    await up.down();
    removeSocketPlaces(join(root, "state"), up.team.agents.keys());
    removeRoot();
    forget();
  }
}

async function play({ team }: TeamUp, json: boolean): Promise<TeamEventOf<"answered">> {
  const answered = Promise.withResolvers<TeamEventOf<"answered">>();
  const lines = new TimelineLines(process.stdout, team.office.team.policy);
  let isOver = false;
  watch(team, (event) => {
    // How everybody goes home is no part of the play.
    isOver ||= event.type === "team_stopping";
    if (isOver && !json) return;
    const line = json ? JSON.stringify(event) : lines.lineOf(event);
    if (line !== undefined) print(line);
    if (event.type === "answered") answered.resolve(event);
  });
  await team.send(request);
  return answered.promise;
}

function watch({ office, firstSeq }: RunningTeam, tell: (event: TeamEvent) => void): void {
  const feed = new Feed(office.timeline, async (event) => tell(event));
  feed.moveTo(firstSeq);
  void feed.run();
}

function conclude({ text }: TeamEventOf<"answered">, work: string, stateDir?: string): void {
  print(`\n${paint("bold", "The lead's answer to you:")} ${text}`);
  print(`${paint("bold", "Really there:")} ${readdirSync(work).join(", ")}`);
  print(paint("dim", outro));
  if (stateDir !== undefined) {
    print(`\nThe team stays. From another terminal: switchboard status --state-dir ${stateDir}`);
    print("Its directory is removed when you stop it with Ctrl+C.");
  }
}

const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout });

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { styleText } from "node:util";
import { Command } from "commander";
import { onExit } from "../net/clean-up-at-exit.ts";
import type { StartedTeam } from "../team/index.ts";
import { loadTeam, removeTeam, startTeam } from "../team/index.ts";
import { errorOf } from "../wire/errors.ts";
import type { TeamEventOf } from "../wire/team/events.ts";
import { listenForInterruption } from "./listen-for-interruption.ts";
import { webDirectory } from "./web/kept-gateway.ts";
import { openBrowser } from "./web/open-browser.ts";
import { servePage } from "./web/team-page.ts";
import type { WebOptions } from "./web/web-options.ts";
import { withWebOptions } from "./web/web-options.ts";
import { shippedFile } from "./team/shipped-files.ts";
import { print } from "./team/print-for-people.ts";
import { TimelineLines } from "./team/timeline-line.ts";

const request = "a small program that greets people";

const intro = `Switchboard: five agents, one task.
The model is rehearsed: a script on this machine plays its part, so no key
is needed and nothing leaves this machine. The Claude Code CLI, its tools,
the messages between agents and the rules are real.
`;

/** In a checkout, `npm start` shows the demo and the commands are not on the path. */
const command = process.env["npm_lifecycle_event"] === "start" ? "npx switchboard" : "switchboard";

const outro = `
With a real model it is the same team:
  ${command} init --team five-roles
  ANTHROPIC_API_KEY=… ${command} up team.yaml
  ${command} send "${request}"   # from another terminal`;

interface DemoFlags extends WebOptions {
  json?: boolean;
  stay?: boolean;
}

/** `switchboard demo`: the five roles at work on a rehearsed model, in a directory that is removed. */
export function demoCommand(): Command {
  const shown = new Command("demo")
    .description("watch five agents write and test a program; needs no key")
    .option("--stay", "keep the team running afterwards, as on a terminal; Ctrl+C stops it")
    .option("--json", "print every event as one line of JSON")
    .action(demo);
  return withWebOptions(shown);
}

async function demo(flags: DemoFlags): Promise<void> {
  const { json = false } = flags;
  const isWatched = process.stdin.isTTY && process.stdout.isTTY;
  const stay = flags.stay ?? (isWatched && !json);
  using interruption = listenForInterruption();
  void interruption.first.then(() => json || process.stderr.write("Stopping the team …\n"));
  const root = mkdtempSync(join(tmpdir(), "switchboard-demo-"));
  const removeRoot = () => rmSync(root, { recursive: true, force: true });
  const forget = onExit(removeRoot);
  const work = join(root, "work");
  const stateDir = join(root, "state");
  mkdirSync(work);
  // The person's own shell start-up files and settings must not affect a demo.
  const person = { ...process.env };
  process.env["HOME"] = root;
  if (!json) print(paint("bold", intro));
  const up = await startTeam({
    team: await loadTeam(shippedFile("teams/five-roles.yaml"), work),
    stateDir,
    rehearsal: shippedFile("rehearsal/five-roles.yaml"),
  });
  const page = servePage(stateDir, flags, (line) => process.stderr.write(`${line}\n`));
  try {
    const link = await Promise.race([page.link, interruption.first.then(() => undefined)]);
    if (link !== undefined && !json)
      print(`${paint("bold", "Watch them in the browser:")} ${link}\n`);
    if (link !== undefined && flags.open === true)
      openBrowser(link, webDirectory(stateDir), person);
    const ended = await Promise.race([interruption.first, play(up, json)]);
    if (typeof ended === "string") return;
    if (!json) conclude(ended, work, stay ? stateDir : undefined);
    if (ended.failed) throw errorOf("execution_failed", "The demo did not go as it should.");
    if (stay) await Promise.race([interruption.first, up.downAsked]);
  } finally {
    await up.down();
    await page[Symbol.asyncDispose]();
    await removeTeam(stateDir);
    removeRoot();
    forget();
  }
}

async function play(team: StartedTeam, json: boolean): Promise<TeamEventOf<"answered">> {
  const answered = Promise.withResolvers<TeamEventOf<"answered">>();
  const lines = new TimelineLines(process.stdout);
  let isOver = false;
  team.follow((event) => {
    // The agents' shutdown is not part of the demo.
    isOver ||= event.type === "team_stopping";
    if (isOver && !json) return;
    const line = json ? JSON.stringify(event) : lines.lineOf(event);
    if (line !== undefined) print(line);
    if (event.type === "answered") answered.resolve(event);
  });
  await team.send(request);
  return answered.promise;
}

function conclude({ text }: TeamEventOf<"answered">, work: string, stateDir?: string): void {
  print(`\n${paint("bold", "The lead's answer to you:")} ${text}`);
  print(
    `${paint("bold", "Files that they wrote, in a directory that goes with the demo:")} ${readdirSync(work).join(", ")}`,
  );
  print(paint("dim", outro));
  if (stateDir !== undefined) {
    print(`\nThe team stays. From another terminal: ${command} status --state-dir ${stateDir}`);
    print(`A new link to its page: ${command} web link --state-dir ${stateDir}`);
    print("Its directory is removed when you stop it with Ctrl+C.");
  }
}

const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
  styleText(format, text, { stream: process.stdout });

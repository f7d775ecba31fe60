import { resolve } from "node:path";
import { Command, Option } from "commander";
import { privateDirectory } from "../../session/stored-sessions.ts";
import type { StartedTeam, StartTeamOptions, Team, TeamBus } from "../../team/index.ts";
import { loadTeam, startTeam } from "../../team/index.ts";
import { realDirectory, stateFor } from "../../team/find-and-connect.ts";
import { errorOf } from "../../wire/errors.ts";
import type { Interruption } from "../listen-for-interruption.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";
import { openBrowser } from "../web/open-browser.ts";
import { webDirectory } from "../web/kept-gateway.ts";
import { isPageBuilt } from "../web/built-page.ts";
import { linkOnceServed, servePage } from "../web/team-page.ts";
import type { WebOptions } from "../web/web-options.ts";
import { withWebOptions } from "../web/web-options.ts";
import { print, printJson } from "./print-for-people.ts";
import { standByForTeam } from "./stand-by-for-team.ts";
import { startInBackground } from "./start-in-background.ts";
import { memoryLines } from "./describe-found-memory.ts";
import { namedStateDir, teamsDirectory } from "./find-team.ts";
import { showRunning } from "./show-running-team.ts";
import { TimelineLines } from "./timeline-line.ts";

const examples = `
Examples:
  switchboard up team.yaml      start the team and show what happens;
                                Ctrl+C stops it
  switchboard up -d team.yaml   start it in the background;
                                'switchboard down' stops it
  switchboard up team.yaml --rehearsal script.yaml
                                the same with a scripted model: no key, no cost
  switchboard send "Build it"   from another terminal: talk to the lead

  switchboard up team.yaml --bus nats://10.0.0.5:4222
                                store the team on a server, where other
                                machines join and stand by: docs/machines.md

If the team is running already, 'up' shows its timeline. Ctrl+C then leaves the
team running.

Agents work in the current directory, unless the team file names another. The
team belongs to this directory: the next 'up' here continues where it was. A
team of the same name in another directory is another team. The state is in
$XDG_STATE_HOME/switchboard/teams.`;

interface UpFlags extends WebOptions {
  link?: boolean;
  detach?: boolean;
  stateDir?: string;
  adopt?: boolean;
  bus?: string;
  credentials?: string;
  host?: string;
  busMonitor?: string;
  standby?: boolean;
  rehearsal?: string;
  continueAtReset?: boolean;
  json?: boolean;
}

/** `switchboard up TEAM.yaml`: runs a team until it is stopped. */
export function upCommand(): Command {
  const command = new Command("up")
    .description("start a team of agents")
    .argument("<team>", "a team file; 'switchboard init' writes one")
    .option("-d, --detach", "start it in the background; it outlives this terminal")
    .option("--rehearsal <script>", "use a scripted model instead of the real one")
    .option(
      "--continue-at-reset",
      "agents go on by themselves when the account's usage limit resets (or continue_at_reset in the file)",
    )
    .option("--bus <url>", "store the team on a NATS server, where other machines join")
    .option("--credentials <file>", "what 'switchboard bus init' wrote for the team")
    .option("--bus-monitor <urls>", "where the servers tell by HTTP whether they sync always")
    .option("--host <name>", "this machine's name in the team (default: its own)")
    .option("--standby", "wait, and run the team when no other machine does any more")
    .option("--state-dir <dir>", "keep the team's state in this directory (default: see below)")
    .option("--adopt", "make a team of another directory, named by --state-dir, belong to this one")
    .option("--json", "print every event as one line of JSON")
    // For a start in the background: who started it prints the link.
    .addOption(new Option("--no-link").hideHelp())
    .addHelpText("after", examples)
    .action(up);
  return withWebOptions(command);
}

async function up(file: string, flags: UpFlags): Promise<void> {
  const { json = false, detach = false } = flags;
  // From the beginning: an interrupted start is completed, so that all of it can be undone.
  using interruption = listenForInterruption();
  const team = withContinuation(await loadTeam(file), flags.continueAtReset === true);
  const script = flags.rehearsal === undefined ? {} : { rehearsal: resolve(flags.rehearsal) };
  const project = { directory: realDirectory(process.cwd()), file: resolve(file), ...script };
  const named = namedStateDir({ team: process.env["SWITCHBOARD_TEAM"] ?? "", ...flags });
  const choice =
    named === undefined ? stateFor(teamsDirectory(), team, project.directory) : undefined;
  const stateDir = privateDirectory(named ?? choice?.stateDir ?? "");
  if (await showRunning(stateDir, flags, (link) => showLink(link, stateDir, flags))) return;
  if (choice && !json) {
    for (const line of memoryLines(choice, team.name)) process.stderr.write(`${line}\n`);
  }
  const where = named === undefined ? "" : ` --state-dir ${stateDir}`;
  const options = { team, project, stateDir, ...chosen(flags) };
  if (flags.standby) {
    await standByForTeam(options, detach, interruption, (following) =>
      upHere(following, flags, where, interruption),
    );
  } else if (detach) await upInBackground(file, stateDir, flags, where, interruption);
  else await upHere(options, flags, where, interruption);
}

/** Also for the machines that join: they make the same team of its source. */
const withContinuation = (team: Team, isWanted: boolean): Team =>
  isWanted
    ? { ...team, continueAtReset: true, source: { ...team.source, continue_at_reset: true } }
    : team;

const chosen = ({ adopt = false, rehearsal, ...flags }: UpFlags) => ({
  adopt,
  ...(flags.bus !== undefined && { bus: busOf(flags.bus, flags) }),
  ...(rehearsal !== undefined && { rehearsal }),
});

const busOf = (url: string, { credentials, host, busMonitor }: UpFlags): TeamBus => ({
  url,
  ...(credentials !== undefined && { credentials: resolve(credentials) }),
  ...(host !== undefined && { host }),
  ...(busMonitor !== undefined && { monitors: busMonitor.split(",") }),
});

/** A team whose process is this one. */
async function upHere(
  options: StartTeamOptions,
  flags: UpFlags,
  where: string,
  interruption: Interruption,
): Promise<void> {
  const { json = false } = flags;
  const { stateDir } = options;
  const running = await startTeam(options);
  await using page = servePage(stateDir, flags, (line) => process.stderr.write(`${line}\n`));
  if (!json && process.stdout.isTTY) {
    print(
      `To talk to the lead, run in another terminal: switchboard send "…"${where}   Ctrl+C stops the team.`,
    );
  }
  show(running, json);
  if (flags.link !== false) {
    void page.link.then((link) => showLink(link, stateDir, flags));
  }
  const end = await Promise.race([running.downAsked, interruption.first, running.officeEnded]);
  if (typeof end === "string") {
    await running.down(end);
    if (!json) print("The team is stopped.");
    return;
  }
  await running.leave(end);
  if (end.because === "deposed") {
    const { name } = options.team;
    throw errorOf("superseded", `Another machine runs the team ${name} now: ${end.by}.`, {
      hint: "Agents on joined hosts go on there. To stand by for it, start this one with --standby.",
    });
  }
  process.stderr.write(`${end.to.name} runs the team from now on.\n`);
}

/** Programs that read events ask for a link themselves. */
function showLink(link: string | undefined, stateDir: string, { json, open }: UpFlags): void {
  if (link === undefined) return;
  if (json !== true) print(`In the browser: ${link}`);
  if (open === true) openBrowser(link, webDirectory(stateDir), process.env);
}

/** A team that outlives this process and its terminal. */
async function upInBackground(
  file: string,
  stateDir: string,
  flags: UpFlags,
  where: string,
  interruption: Interruption,
): Promise<void> {
  const { adopt, json = false, rehearsal, web = true, port } = flags;
  const args = [file, "--state-dir", stateDir, web ? "--no-link" : "--no-web"];
  if (port !== undefined) args.push("--port", String(port));
  if (adopt === true) args.push("--adopt");
  if (json) args.push("--json");
  if (flags.continueAtReset === true) args.push("--continue-at-reset");
  if (rehearsal !== undefined) args.push("--rehearsal", rehearsal);
  if (flags.bus !== undefined) args.push("--bus", flags.bus);
  if (flags.credentials !== undefined) args.push("--credentials", flags.credentials);
  if (flags.host !== undefined) args.push("--host", flags.host);
  if (flags.busMonitor !== undefined) args.push("--bus-monitor", flags.busMonitor);
  const start = await startInBackground(stateDir, args, interruption.first);
  if (start.kind === "failed") {
    process.stderr.write(start.said);
    process.exitCode = start.code;
  }
  if (start.kind !== "running") return;
  const { team, pid } = start.init;
  const link = web && isPageBuilt() ? await linkOnceServed(stateDir) : undefined;
  if (json) {
    const page = link === undefined ? {} : { link };
    return printJson({ team, pid, state_dir: stateDir, log: start.log, ...page });
  }
  for (const line of start.warnings) process.stderr.write(`${line}\n`);
  print(`The team ${team} is running in the background (process ${pid}). Its log is ${start.log}`);
  print(`  switchboard send "…"${where}   talk to the lead`);
  print(`  switchboard tail${where}       see what happens`);
  print(`  switchboard down${where}       stop it`);
  if (link === undefined && web) print(`  switchboard web link${where}   a link to its page`);
  showLink(link, stateDir, flags);
}

/** Shows everything since this process began, and what follows. */
function show(team: StartedTeam, json: boolean): void {
  const lines = new TimelineLines(process.stdout);
  team.follow((event) => {
    const line = json ? JSON.stringify(event) : lines.lineOf(event);
    if (line !== undefined) print(line);
  });
}

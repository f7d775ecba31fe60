import { Command } from "commander";
import { loadTeam } from "../../team/file/load-team.ts";
import { privateDirectory } from "../../session/place/state-directory.ts";
import { Feed } from "../../team/control/feed.ts";
import { bringTeamUp } from "../../team/up.ts";
import type { RunningTeam } from "../../team/running-team.ts";
import { listenForInterruption } from "../interruption.ts";
import { version } from "../version.ts";
import { print } from "./print.ts";
import type { TeamPlace } from "./place.ts";
import { stateDirOf, stateDirOption } from "./place.ts";
import { TimelineLines } from "./timeline-line.ts";

const examples = `
Examples:
  switchboard up team.yaml                            start the team and show what happens; Ctrl+C stops it
  switchboard up team.yaml --rehearsal script.yaml    the same with a scripted model: no key, no cost
  switchboard send "Build it"                         from another terminal: talk to the lead

Agents work in the current directory unless the team file says otherwise. State is kept in
$XDG_STATE_HOME/switchboard/teams/NAME: a team that is started again goes on where it was.`;

interface UpFlags extends TeamPlace {
  rehearsal?: string;
  json?: boolean;
}

/** `switchboard up TEAM.yaml`: a team, until it is stopped. */
export function upCommand(): Command {
  return new Command("up")
    .description("start a team of agents")
    .argument("<team>", "a team file; 'switchboard init' writes one")
    .option("--rehearsal <script>", "a scripted model in place of the real one")
    .addOption(stateDirOption("by the team's name, see below"))
    .option("--json", "print every event as a line of JSON")
    .addHelpText("after", examples)
    .action(up);
}

async function up(file: string, { json = false, rehearsal, ...place }: UpFlags): Promise<void> {
  // From the first: a start that is interrupted is finished, so that all of it can be taken back.
  using interruption = listenForInterruption();
  const team = await loadTeam(file);
  const stateDir = privateDirectory(stateDirOf(team.name, place));
  const running = await bringTeamUp({
    team,
    stateDir,
    version,
    ...(rehearsal !== undefined && { rehearsal }),
  });
  if (!json && process.stdout.isTTY) print(nextStep(place));
  show(running.team, json);
  const by = await Promise.race([running.downAsked, interruption.first]);
  await running.down(by);
  if (!json) print("The team is stopped.");
}

const nextStep = ({ stateDir }: TeamPlace): string => {
  const where = stateDir === undefined ? "" : ` --state-dir ${stateDirOf("", { stateDir })}`;
  return `Talk to the lead from another terminal: switchboard send "…"${where}   Ctrl+C stops the team.`;
};

/** Everything since this process began, and whatever follows. */
function show({ office, firstSeq }: RunningTeam, json: boolean): void {
  const lines = new TimelineLines(process.stdout, office.team.policy);
  const feed = new Feed(office.timeline, async (event) => {
    const line = json ? JSON.stringify(event) : lines.lineOf(event);
    if (line !== undefined) print(line);
  });
  feed.moveTo(firstSeq);
  void feed.run();
}

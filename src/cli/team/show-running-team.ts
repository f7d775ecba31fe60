import { probeSocket } from "../../net/probe-socket.ts";
import { connectTeam, controlSocket } from "../../team/find-and-connect.ts";
import { followTimeline, RECENT } from "./follow-timeline.ts";
import { oneConnection } from "./find-team.ts";
import { print } from "./print-for-people.ts";
import { linkToTeam } from "../web/team-page.ts";

interface RunningFlags {
  readonly json?: boolean;
  readonly detach?: boolean;
  readonly rehearsal?: string;
}

/** Shows a team that is running already, and a link to its page if it has one. False when there is none. */
export async function showRunning(
  stateDir: string,
  { json = false, detach = false, rehearsal }: RunningFlags,
  showLink: (link: string | undefined) => void,
): Promise<boolean> {
  const socket = controlSocket(stateDir);
  if ((await probeSocket(socket)).state !== "alive") return false;
  await using team = await connectTeam(socket, oneConnection);
  const { init } = team;
  if (!json) print(`The team ${init.team} is running already (process ${init.pid}).`);
  if (!json && init.rehearsal !== (rehearsal !== undefined)) {
    print(`It was started ${init.rehearsal ? "with" : "without"} a rehearsal, and stays so.`);
  }
  showLink(await linkToTeam(stateDir).catch(() => undefined));
  if (detach) return true;
  if (!json) print("This is its timeline; Ctrl+C leaves it running.");
  const end = await followTimeline(team, { since: Math.max(0, init.last_seq - RECENT), json });
  if (!json) print(end === "left" ? "The team goes on." : "The team is stopped.");
  return true;
}

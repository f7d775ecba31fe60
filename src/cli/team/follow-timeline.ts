import type { TeamItem, TeamReader } from "../../team/core.ts";
import { listenForInterruption } from "../listen-for-interruption.ts";
import { print, printJson } from "./print-for-people.ts";
import { TimelineLines } from "./timeline-line.ts";

/** How many earlier events give an idea of what is going on. */
export const RECENT = 20;

export interface Following {
  /** Begin after this event. */
  readonly since: number;
  readonly json: boolean;
}

/** Shows what happens in a team, until the person leaves or the team ends. */
export async function followTimeline(
  team: TeamReader,
  { since, json }: Following,
): Promise<"left" | "ended"> {
  const lines = new TimelineLines(process.stdout);
  const show = (item: TeamItem): void => {
    if (!("seq" in item)) return;
    const line = json ? undefined : lines.lineOf(item);
    if (json) printJson(item);
    else if (line !== undefined) print(line);
  };
  await team.follow({ since, logId: team.init.log_id }, show);
  using interruption = listenForInterruption();
  const left = interruption.first.then(() => "left" as const);
  return await Promise.race([team.closed.then(() => "ended" as const), left]);
}

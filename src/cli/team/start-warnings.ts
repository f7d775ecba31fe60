import type { TeamItem, TeamReader } from "../../team/core.ts";
import type { TeamEventOf } from "../../wire/team/events.ts";
import { noticeText } from "./timeline-line.ts";

/** More events than a start has before the team takes commands. */
const LOOKED_AT = 1000;

/** What a team has warned of since its process began, one text each. */
export async function startWarnings(
  team: Pick<TeamReader, "init" | "follow" | "closed">,
): Promise<string[]> {
  const { last_seq: lastSeq, log_id: logId } = team.init;
  let warnings: TeamEventOf<"notice">[] = [];
  const read = Promise.withResolvers<void>();
  const look = (item: TeamItem): void => {
    if (item.type === "team_started") warnings = [];
    if (item.type === "notice" && item.level !== "info") warnings.push(item);
    if ("seq" in item && item.seq >= lastSeq) read.resolve();
  };
  await team.follow({ since: Math.max(0, lastSeq - LOOKED_AT), logId }, look);
  await Promise.race([read.promise, team.closed]);
  return warnings.map(noticeText);
}

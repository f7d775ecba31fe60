import type { Bus } from "../../bus/bus.ts";
import type { TeamParams } from "../../wire/team/control-methods.ts";
import type { LogStats } from "../../wire/team/read-results.ts";
import type { CommunicationEntry, CommunicationPage } from "../../wire/team/method-results.ts";
import type { TeamRecords } from "../team-records.ts";
import type { CommunicationQuery } from "../record/communication-record.ts";
import { communicationStats } from "../record/communication-stats.ts";

/** A page of the communication log, the newest first. */
export async function readLog(
  { bus, communication }: TeamRecords,
  params: TeamParams<"log">,
): Promise<CommunicationPage> {
  const { limit, before, text } = params;
  return communication.query({
    ...queryOf(params),
    limit,
    ...(before !== undefined && { before }),
    ...(text !== undefined && { passes: textFilter(bus, text) }),
  });
}

/** @throws `invalid_params` */
export const readLogStats = (
  { communication }: TeamRecords,
  params: TeamParams<"log_stats">,
): Promise<LogStats> =>
  communicationStats(communication, { ...queryOf(params), bucketMs: params.bucket_ms });

type QueryParams = Omit<TeamParams<"log_stats">, "bucket_ms">;

const queryOf = ({ level, from, to, type, since, until }: QueryParams): CommunicationQuery => ({
  level,
  ...(from !== undefined && { from }),
  ...(to !== undefined && { to }),
  ...(type !== undefined && { type }),
  ...(since !== undefined && { sinceMs: Date.parse(since) }),
  ...(until !== undefined && { untilMs: Date.parse(until) }),
});

/** Whether the message of a line, or its error, has the text. */
function textFilter(
  bus: Pick<Bus, "get">,
  text: string,
): (entry: CommunicationEntry) => Promise<boolean> {
  const wanted = text.toLowerCase();
  const has = (words: string | null | undefined): boolean =>
    words?.toLowerCase().includes(wanted) === true;
  return async ({ message_id: id, error, note }) =>
    has(error) || has(note) || (id !== undefined && has((await bus.get(id))?.message.content));
}

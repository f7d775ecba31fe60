import type * as z from "zod";
import { check } from "../../wire/check-message.ts";
import { toCsv } from "../../wire/team/communication-csv.ts";
import type { CommunicationEntry } from "../../wire/team/method-results.ts";
import { readMethods } from "../../wire/team/read-methods.ts";
import type { TeamTalk } from "./ask-team.ts";

const LogFilterSchema = readMethods.log.omit({ limit: true, before: true });
export type LogFilter = z.output<typeof LogFilterSchema>;

const PAGE_ENTRIES = 1000;

/** The filter in a query, with the names that the team's method has. @throws `invalid_params`. */
export function logFilterOf(query: Readonly<Record<string, string>>): LogFilter {
  const checked = check(LogFilterSchema, query, "The query");
  if (!checked.ok) throw checked.error;
  return checked.value;
}

/** The communication log as a table for spreadsheets, the same bytes as `switchboard log --csv`. */
export async function* csvOf(team: TeamTalk, filter: LogFilter): AsyncGenerator<Uint8Array> {
  let withHead = true;
  for await (const entries of entriesOf(team, filter)) {
    yield Buffer.from(toCsv(entries, { withHead }));
    withHead = false;
  }
  if (withHead) yield Buffer.from(toCsv([]));
}

/** The same entries as one array of JSON. */
export async function* jsonOf(team: TeamTalk, filter: LogFilter): AsyncGenerator<Uint8Array> {
  let separator = "[\n";
  for await (const entries of entriesOf(team, filter)) {
    yield Buffer.from(separator + entries.map((entry) => JSON.stringify(entry)).join(",\n"));
    separator = ",\n";
  }
  yield Buffer.from(separator === "[\n" ? "[]\n" : "\n]\n");
}

/**
 * Page by page, oldest first. The team gives the newest first, so the pages are found in one pass and read in another: what
 * is kept between the two is where each page begins, and the newest page, because entries that come meanwhile would move it.
 */
async function* entriesOf(
  team: TeamTalk,
  filter: LogFilter,
): AsyncGenerator<readonly CommunicationEntry[]> {
  const page = (before?: string) =>
    team.request("log", {
      ...filter,
      limit: PAGE_ENTRIES,
      ...(before !== undefined && { before }),
    });
  const newest = await page();
  const cursors: string[] = [];
  for (let { before } = newest; before !== undefined;) {
    cursors.push(before);
    ({ before } = await page(before));
  }
  for (const before of cursors.toReversed()) {
    const { entries } = await page(before);
    if (entries.length > 0) yield entries.toReversed();
  }
  if (newest.entries.length > 0) yield newest.entries.toReversed();
}

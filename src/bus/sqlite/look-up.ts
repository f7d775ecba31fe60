import type { SQLInputValue } from "node:sqlite";
import type { HistoryRows, Operation, Outcome, StoredRow } from "../store.ts";
import { pageOfRows, placeRange } from "./pages.ts";
import type { Tables } from "./tables.ts";

type Found = Omit<StoredRow, "state"> & { waits: 0 | 1; died: 0 | 1 };

const FOUND = `
  SELECT messages.seq, messages.body, messages.sent_at AS sentAt,
    inbox.seq IS NOT NULL AS waits, dead.seq IS NOT NULL AS died,
    coalesce(inbox.attempts, dead.attempts, done.attempts, 0) AS attempts,
    coalesce(dead.at, done.at) AS settledAt
  FROM messages
  LEFT JOIN inbox ON inbox.seq = messages.seq
  LEFT JOIN done ON done.seq = messages.seq
  LEFT JOIN dead ON dead.seq = messages.seq`;

const columns = {
  sender: "sender",
  recipient: "recipient",
  type: "type",
  rootId: "root_id",
  correlationId: "correlation_id",
  replyTo: "reply_to",
} as const satisfies Record<keyof HistoryRows, string>;

export function get(tables: Tables, { id }: Operation<"get">): Outcome<"get"> {
  const [found] = tables.all<Found>(`${FOUND} WHERE messages.id = ?`, id);
  return found && rowOf(tables, found);
}

export function history(
  tables: Tables,
  { filter, page }: Operation<"history">,
): Outcome<"history"> {
  const conditions = ["true"];
  const values: SQLInputValue[] = [];
  for (const [name, value] of Object.entries(filter)) {
    conditions.push(`messages.${columns[name as keyof HistoryRows]} = ?`);
    values.push(value);
  }
  const range = placeRange(page, "messages.seq");
  const rows = tables.all<Found>(
    `${FOUND} WHERE ${conditions.join(" AND ")} ${range.sql}`,
    ...values,
    ...range.values,
  );
  return pageOfRows(
    rows.map((found) => rowOf(tables, found)),
    page,
  );
}

export function counts(tables: Tables): Outcome<"counts"> {
  const rows = tables.all<{ recipient: string; count: number }>(
    "SELECT recipient, count(*) AS count FROM inbox GROUP BY recipient",
  );
  return Object.fromEntries(rows.map(({ recipient, count }) => [recipient, count]));
}

function rowOf(tables: Tables, { waits, died, ...row }: Found): StoredRow {
  const waiting = tables.holds.isLeased(row.seq) ? "leased" : "waiting";
  return { ...row, state: waits ? waiting : died ? "dead" : "done" };
}

import type { SQLInputValue } from "node:sqlite";
import type { HistoryRows, Operation, StoreOutcome, StoredRow } from "../store.ts";
import { indexFor } from "./history-index.ts";
import { pageOfRows, placeRange } from "./pages.ts";
import { JOIN_INBOX } from "./settle-messages.ts";
import type { OpenDatabase } from "./database-in-use.ts";

type Found = Omit<StoredRow, "state"> & { waits: 0 | 1; died: 0 | 1 };

const found = (from: string): string => `
  SELECT messages.seq, messages.body, messages.sent_at AS sentAt,
    inbox.seq IS NOT NULL AS waits, dead.seq IS NOT NULL AS died,
    coalesce(inbox.attempts, dead.attempts, done.attempts, 0) AS attempts,
    coalesce(dead.at, done.at) AS settledAt
  FROM ${from}
  LEFT ${JOIN_INBOX}
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

export function get(tables: OpenDatabase, { id }: Operation<"get">): StoreOutcome<"get"> {
  const [row] = tables.all<Found>(`${found("messages")} WHERE messages.id = ?`, id);
  return row && rowOf(tables, row);
}

export function history(
  tables: OpenDatabase,
  { filter, page }: Operation<"history">,
): StoreOutcome<"history"> {
  const conditions = ["true"];
  const values: SQLInputValue[] = [];
  for (const [name, value] of Object.entries(filter)) {
    conditions.push(`messages.${columns[name as keyof HistoryRows]} = ?`);
    values.push(value);
  }
  const catalogued = hasOwnIndex(filter) ? undefined : indexFor(tables, filter);
  if (catalogued) {
    conditions.push("catalogue.field = ?", "catalogue.value = ?");
    values.push(catalogued.field, catalogued.value);
  }
  // `CROSS JOIN` keeps the order: reads what the index lists, newest or oldest first, until there is enough.
  const from = catalogued
    ? "catalogue CROSS JOIN messages ON messages.seq = catalogue.seq"
    : "messages";
  const range = placeRange(page, catalogued ? "catalogue.seq" : "messages.seq");
  const rows = tables.all<Found>(
    `${found(from)} WHERE ${conditions.join(" AND ")} ${range.sql}`,
    ...values,
    ...range.values,
  );
  return pageOfRows(
    rows.map((row) => rowOf(tables, row)),
    page,
  );
}

/** Few messages have one of these, so indexing them is cheap. */
const hasOwnIndex = ({ correlationId, replyTo }: HistoryRows): boolean =>
  correlationId !== undefined || replyTo !== undefined;

export function counts(tables: OpenDatabase): StoreOutcome<"counts"> {
  const rows = tables.all<{ recipient: string; count: number }>(
    "SELECT recipient, count(*) AS count FROM inbox GROUP BY recipient",
  );
  return Object.fromEntries(rows.map(({ recipient, count }) => [recipient, count]));
}

function rowOf(tables: OpenDatabase, { waits, died, ...row }: Found): StoredRow {
  const waiting = tables.holds.isLeased(row.seq) ? "leased" : "waiting";
  return { ...row, state: waits ? waiting : died ? "dead" : "done" };
}

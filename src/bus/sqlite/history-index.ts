import type { HistoryRows } from "../store.ts";
import type { OpenDatabase } from "./database-in-use.ts";

const RECIPIENT = 2;

/** The indexed fields, most selective first. The numbers are stored and never change. */
const fields = [
  { name: "rootId", column: "root_id", number: 0 },
  { name: "sender", column: "sender", number: 1 },
  { name: "recipient", column: "recipient", number: RECIPIENT },
] as const satisfies { name: keyof HistoryRows; column: string; number: number }[];

/** How many messages the index may lack before a send has to add some of them. */
const MAX_BEHIND = 4_096;
const PART = 8_192;

/**
 * Queries by sender and recipient are rare and inserts are frequent; an index for each would double the pages that
 * every message makes durable. So this index lags behind, takes many messages at once, and catches up before it is
 * read.
 */
export function indexWhenFarBehind(tables: OpenDatabase, lastSeq: number): void {
  const upTo = cataloguedUpTo(tables);
  if (lastSeq - upTo >= MAX_BEHIND) catalogue(tables, upTo, Math.min(lastSeq, upTo + PART));
}

/** Where many messages have come in another way than by `send`. */
export function catalogueAll(tables: OpenDatabase): void {
  catchUp(tables);
}

/** The newest message to a recipient. The index need not catch up for this: it lacks few messages. */
export function newestTo(tables: OpenDatabase, recipient: string): number | undefined {
  const [later] = tables.all<{ seq: number }>(
    "SELECT seq FROM messages WHERE seq > ? AND recipient = ? ORDER BY seq DESC LIMIT 1",
    cataloguedUpTo(tables),
    recipient,
  );
  if (later) return later.seq;
  const [row] = tables.all<{ seq: number | null }>(
    `SELECT max(seq) AS seq FROM catalogue WHERE field = ${RECIPIENT} AND value = ?`,
    recipient,
  );
  return row?.seq ?? undefined;
}

/** How to find the messages that match one of the filter's values; undefined if the index cannot help. */
export function indexFor(
  tables: OpenDatabase,
  filter: HistoryRows,
): { field: number; value: string } | undefined {
  for (const { name, number } of fields) {
    const value = filter[name];
    if (value === undefined) continue;
    catchUp(tables);
    return { field: number, value };
  }
  return undefined;
}

function catchUp(tables: OpenDatabase): void {
  const [newest] = tables.all<{ seq: number | null }>("SELECT max(seq) AS seq FROM messages");
  const upTo = cataloguedUpTo(tables);
  const last = newest?.seq ?? 0;
  if (last > upTo) catalogue(tables, upTo, last);
}

function cataloguedUpTo(tables: OpenDatabase): number {
  if (tables.cataloguedUpTo === undefined) {
    const [row] = tables.all<{ up_to: number }>("SELECT up_to FROM catalogued");
    tables.cataloguedUpTo = row?.up_to ?? 0;
  }
  return tables.cataloguedUpTo;
}

function catalogue(tables: OpenDatabase, after: number, upTo: number): void {
  for (const { column, number } of fields) {
    tables.run(
      `INSERT INTO catalogue (field, value, seq)
       SELECT ${number}, ${column}, seq FROM messages WHERE seq > ? AND seq <= ?
       ORDER BY ${column}, seq`,
      after,
      upTo,
    );
  }
  tables.run("UPDATE catalogued SET up_to = ?", upTo);
  tables.cataloguedUpTo = upTo;
  tables.undoWith(() => (tables.cataloguedUpTo = after));
}

import type { DeadRow, Operation, StoreOutcome } from "../store.ts";
import { pageOfRows, placeRange } from "./pages.ts";
import { writeAll } from "./records.ts";
import { bodyOf, insert } from "./send-message.ts";
import type { OpenDatabase } from "./database-in-use.ts";

const DEAD = `
  SELECT number AS seq, body, cause, why, attempts, at AS diedAt, fate, resent_as AS resentAs
  FROM dead JOIN messages ON messages.seq = dead.seq`;

export function deadList(
  tables: OpenDatabase,
  { all, page }: Operation<"deadList">,
): StoreOutcome<"deadList"> {
  const range = placeRange(page, "number");
  const condition = all ? "true" : "fate = 'open'";
  const rows = tables.all<DeadRow>(`${DEAD} WHERE ${condition} ${range.sql}`, ...range.values);
  return pageOfRows(
    rows.map((row) => ({ ...row })),
    page,
  );
}

export function deadGet(
  tables: OpenDatabase,
  { id }: Operation<"deadGet">,
): StoreOutcome<"deadGet"> {
  const [row] = tables.all<DeadRow>(`${DEAD} WHERE messages.id = ?`, id);
  return row && { ...row };
}

export function deadResend(
  tables: OpenDatabase,
  { id, letter, writes, nowMs }: Operation<"deadResend">,
): StoreOutcome<"deadResend"> {
  if (bodyOf(tables, letter.id) !== undefined) return "conflict";
  if (!close(tables, id, "resent", letter.id)) return "gone";
  insert(tables, letter, nowMs);
  writeAll(tables, writes, nowMs);
  return "sent";
}

export function deadDiscard(
  tables: OpenDatabase,
  { id }: Operation<"deadDiscard">,
): StoreOutcome<"deadDiscard"> {
  return close(tables, id, "discarded", null);
}

function close(
  tables: OpenDatabase,
  id: string,
  fate: DeadRow["fate"],
  resentAs: string | null,
): boolean {
  const changed = tables.run(
    `UPDATE dead SET fate = ?, resent_as = ?
     WHERE fate = 'open' AND seq = (SELECT seq FROM messages WHERE id = ?)`,
    fate,
    resentAs,
    id,
  );
  return changed > 0;
}

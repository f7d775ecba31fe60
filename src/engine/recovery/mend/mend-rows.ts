import { arrangeRows } from "./arrange-rows.ts";
import type { ComparedItem } from "./compare-items.ts";
import { compareItems } from "./compare-items.ts";
import type { FileRow } from "./file-rows.ts";
import { isLink } from "./file-rows.ts";
import { placesIn } from "./find-item-rows.ts";
import type { JoinedChain } from "./join-chain.ts";
import { joinChain, liveIds } from "./join-chain.ts";
import type { LoggedTurn } from "./logged-turns.ts";
import type { RowPlace } from "./make-rows.ts";

export interface MendedRows extends JoinedChain {
  /** The CLI's ids of the messages that were put back. */
  messages: string[];
  /** How many texts, calls and results of the model's work were put back. */
  others: number;
}

/**
 * Puts back what our log has and the CLI's file has not, each thing behind the one that came before it in the log, and
 * joins the chain of rows that leads through the conversation. Rows that lack nothing stay as they are.
 */
export function mendRows(
  found: readonly FileRow[],
  turns: readonly LoggedTurn[],
  place: RowPlace,
): MendedRows {
  const rows = withoutCopies(found);
  const places = placesIn(rows);
  const compared = compareItems(rows, turns, places);
  const arranged = arrangeRows(rows, compared, place);
  const live = liveIds(rows);
  const lost = compared.flat().filter(({ missing }) => missing !== undefined);
  // A result whose call is lost is a part of the conversation again when the call is.
  for (const { rows: own } of lost) live.add(rows[own?.first ?? -1]?.row.uuid ?? "");
  return {
    ...joinChain(arranged, live),
    messages: lost.flatMap(({ item }) => (item.kind === "message" ? [item.message.id] : [])),
    others: lost.reduce((sum, each) => sum + partsOf(each), 0),
  };
}

/** A file that was written twice has each row once for the CLI: rows are told apart by their id. */
function withoutCopies(rows: readonly FileRow[]): FileRow[] {
  const seen = new Set<string>();
  return rows.filter((each) => {
    const { uuid } = each.row;
    if (uuid === undefined || !isLink(each)) return true;
    const isNew = !seen.has(uuid);
    seen.add(uuid);
    return isNew;
  });
}

/** How many pieces of the model's work were missing: a call and its result are two. */
function partsOf({ item, missing }: ComparedItem): number {
  if (item.kind === "message") return 0;
  return item.kind === "call" && missing === "all" ? 2 : 1;
}

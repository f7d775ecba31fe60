import type { FileRow } from "./file-rows.ts";
import type { Places } from "./find-item-rows.ts";
import { rowsOfItem } from "./find-item-rows.ts";
import { leadsNowhere, linkIds } from "./join-chain.ts";
import type { LoggedCall, LoggedItem, LoggedTurn } from "./logged-turns.ts";
import { textPlaces } from "./find-text-rows.ts";

/** Which part of an item the file lacks. */
export type Missing = "all" | "call" | "result";

/** An item of the log, and what the file has of it. */
export interface ComparedItem {
  item: LoggedItem;
  /** The rows that hold it; undefined when none does. */
  rows: { first: number; last: number } | undefined;
  /** Of a call: the rows of the call itself and of its result. */
  call?: number | undefined;
  result?: number | undefined;
  /** What has to be put back; undefined when nothing does. */
  missing: Missing | undefined;
}

export type ComparedTurn = readonly ComparedItem[];

/** Compares all that our log has of a conversation with the rows of the CLI's file. */
export function compareItems(
  rows: readonly FileRow[],
  turns: readonly LoggedTurn[],
  places: Places,
): ComparedTurn[] {
  const links = linkIds(rows);
  const compared: ComparedTurn[] = [];
  let from = -1;
  for (const [index, turn] of turns.entries()) {
    const end = firstPlaceOf(turns.slice(index + 1), places, from) ?? rows.length;
    const isBroken =
      turn.items.some((item) => item.kind === "message" && !rowsOfItem(item, places)) ||
      rows.slice(from + 1, end + 1).some((row) => leadsNowhere(row, links));
    const texts = textPlaces(turn.items, rows, { from, end }, places, isBroken);
    const found = turn.items.map((item) => ({ item, rows: rowsOf(item, texts, places) }));
    const rowsByItem = new Map(found.map((each) => [each.item, each.rows]));
    const missing = missingIn(turn, rowsByItem, places, isBroken);
    compared.push(
      found.map((each) => ({
        ...each,
        ...partsOf(each.item, places),
        missing: missing.get(each.item),
      })),
    );
    from = Math.max(from, ...found.map((each) => Math.min(each.rows?.last ?? -1, end - 1)));
  }
  return compared;
}

function rowsOf(
  item: LoggedItem,
  texts: ReadonlyMap<LoggedItem, number>,
  places: Places,
): ComparedItem["rows"] {
  if (item.kind !== "text") return rowsOfItem(item, places);
  const index = texts.get(item);
  return index === undefined ? undefined : { first: index, last: index };
}

function partsOf(item: LoggedItem, { calls, results }: Places) {
  if (item.kind !== "call") return {};
  return { call: calls.get(item.request_id), result: results.get(item.request_id) };
}

function firstPlaceOf(turns: readonly LoggedTurn[], places: Places, after: number) {
  for (const { items } of turns) {
    for (const item of items) {
      const first = item.kind === "text" ? undefined : rowsOfItem(item, places)?.first;
      if (first !== undefined && first > after) return first;
    }
  }
  return undefined;
}

/**
 * What of a turn has to be put back. Ids are certain. That a text is lost is believed only where the file shows
 * damage, or where the turn's last words are missing: what the log has of other texts may never have reached the file.
 */
function missingIn(
  { items, completed }: LoggedTurn,
  found: ReadonlyMap<LoggedItem, ComparedItem["rows"]>,
  places: Places,
  isBroken: boolean,
): Map<LoggedItem, Missing> {
  const missing = new Map<LoggedItem, Missing>();
  for (const item of items) {
    const isLost = item.kind === "message" && found.get(item) === undefined;
    if (isLost) missing.set(item, "all");
  }
  const isDamaged = isBroken || (completed && lacksWork(items, found, places));
  if (!isDamaged) return missing;
  // Of a turn that was cut, the CLI had only what came before a result for certain.
  const lastResult = items.findLastIndex((item) => item.kind === "call" && item.result);
  const certain = completed ? items : items.slice(0, lastResult + 1);
  for (const item of certain) {
    if (item.kind === "text" && found.get(item) === undefined) missing.set(item, "all");
    const part = item.kind === "call" ? missingOf(item, completed, places) : undefined;
    if (part !== undefined) missing.set(item, part);
  }
  return missing;
}

function lacksWork(
  items: readonly LoggedItem[],
  found: ReadonlyMap<LoggedItem, ComparedItem["rows"]>,
  places: Places,
): boolean {
  const last = items.findLast(({ kind }) => kind !== "message");
  if (last?.kind === "text" && found.get(last) === undefined) return true;
  return items.some(
    (item) => item.kind === "call" && item.result && missingOf(item, true, places) !== undefined,
  );
}

/** Of a turn that was cut, a call without a result may never have been made. */
function missingOf(call: LoggedCall, completed: boolean, places: Places): Missing | undefined {
  const hasResult = places.results.has(call.request_id);
  if (places.calls.has(call.request_id)) return hasResult || !call.result ? undefined : "result";
  if (hasResult) return "call";
  return completed || call.result ? "all" : undefined;
}

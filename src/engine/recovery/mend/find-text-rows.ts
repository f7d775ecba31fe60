import { messagesOf } from "../transcript.ts";
import type { FileRow } from "./file-rows.ts";
import type { Places, Stretch } from "./find-item-rows.ts";
import { blocksOf, holdsResult, rowsOfItem } from "./find-item-rows.ts";
import type { LoggedItem } from "./logged-turns.ts";

/** A text or a message in the file. Messages are found by their id; here they tell equal texts apart. */
interface Said {
  index: number;
  key: string;
}

/**
 * The rows that hold the texts of a turn. A text has no id, so it is looked for only in the stretch of its turn, between
 * the calls before and after it.
 *
 * @param isBroken The stretch has lost rows: only a text that is equal counts.
 */
export function textPlaces(
  items: readonly LoggedItem[],
  rows: readonly FileRow[],
  { from, end }: Stretch,
  places: Places,
  isBroken: boolean,
): Map<LoggedItem, number> {
  const found = new Map<LoggedItem, number>();
  const known = new Set(items.flatMap((item) => messageKey(item) ?? []));
  let logged: LoggedItem[] = [];
  let start = from;
  const search = (before: number): void => {
    if (!logged.some(isText)) return;
    const said = saidIn(rows, { from: start, end: before }, known);
    for (const [item, index] of align(logged, said, isBroken)) found.set(item, index);
  };
  for (const item of items) {
    if (item.kind !== "call") logged.push(item);
    const call = item.kind === "call" ? rowsOfItem(item, places)?.first : undefined;
    if (call === undefined || call <= start || call >= end) continue;
    search(call);
    start = call;
    logged = [];
  }
  search(end);
  return found;
}

const isText = ({ kind }: LoggedItem): boolean => kind === "text";
const messageKey = (item: LoggedItem): string | undefined =>
  item.kind === "message" ? `message ${item.message.id}` : undefined;
const keyOf = (item: LoggedItem): string | undefined =>
  item.kind === "text" ? `text ${item.text}` : messageKey(item);

/** Words of a person that our log does not know. What stands behind them answers them. */
const STRANGER = "stranger";

function saidIn(
  rows: readonly FileRow[],
  { from, end }: Stretch,
  known: ReadonlySet<string>,
): Said[] {
  return rows.slice(from + 1, end).flatMap((each, offset) => {
    const index = from + 1 + offset;
    const messages = messagesOf(each.row).map((id) => `message ${id}`);
    const own = messages.filter((key) => known.has(key));
    const isStranger = own.length === 0 && isPerson(each);
    return [...own, ...(isStranger ? [STRANGER] : []), ...textsOf(each)].map((key) => ({
      index,
      key,
    }));
  });
}

const isPerson = (each: FileRow): boolean =>
  each.row.type === "user" && each.row.isMeta !== true && !holdsResult(each);

/** The CLI's own words in the model's place, such as those after a turn that was cut, are none of the model's. */
function textsOf(each: FileRow): string[] {
  const { type, message } = each.row;
  if (type !== "assistant" || message?.model === "<synthetic>") return [];
  return blocksOf(each).flatMap(({ text }) => (typeof text === "string" ? [`text ${text}`] : []));
}

/**
 * Pairs the texts of the log with those of the file, in order: as many as possible that are equal. Where no row is
 * lost, a text that has no equal was edited: it is the text of the file that stands in the same place.
 */
function align(
  logged: readonly LoggedItem[],
  said: readonly Said[],
  isBroken: boolean,
): Map<LoggedItem, number> {
  const equal = heaviestCommon(logged.map(keyOf), said);
  const pairs = new Map<LoggedItem, number>();
  let next = 0;
  for (const [at, item] of logged.entries()) {
    const own = equal.get(at) ?? (isBroken || !isText(item) ? undefined : editedAt(next));
    const index = own === undefined ? undefined : said[own]?.index;
    if (own === undefined || index === undefined) continue;
    next = own + 1;
    if (isText(item)) pairs.set(item, index);
  }
  return pairs;

  function editedAt(from: number): number | undefined {
    const taken = new Set(equal.values());
    for (let at = from; at < said.length && !taken.has(at); at++) {
      if (said[at]?.key === STRANGER) break;
      if (said[at]?.key.startsWith("text ") === true) return at;
    }
    return undefined;
  }
}

const TEXT_WEIGHT = 2;

/** Of the heaviest common subsequence: the index in `said` for each index in `keys`. */
function heaviestCommon(
  keys: readonly (string | undefined)[],
  said: readonly Said[],
): Map<number, number> {
  const width = said.length + 1;
  const weights = new Uint32Array((keys.length + 1) * width);
  const weightAt = (a: number, b: number): number => weights[a * width + b] ?? 0;
  const isEqual = (a: number, b: number): boolean => keys[a] === said[b]?.key;
  const paired = (a: number, b: number): number =>
    isEqual(a, b)
      ? weightAt(a + 1, b + 1) + (keys[a]?.startsWith("text ") === true ? TEXT_WEIGHT : 1)
      : 0;
  for (let a = keys.length - 1; a >= 0; a--) {
    for (let b = said.length - 1; b >= 0; b--) {
      weights[a * width + b] = Math.max(paired(a, b), weightAt(a + 1, b), weightAt(a, b + 1));
    }
  }
  const pairs = new Map<number, number>();
  for (let a = 0, b = 0; a < keys.length && b < said.length;) {
    const weight = weightAt(a, b);
    if (weight > 0 && paired(a, b) === weight) pairs.set(a++, b++);
    else if (weightAt(a + 1, b) === weight) a += 1;
    else b += 1;
  }
  return pairs;
}

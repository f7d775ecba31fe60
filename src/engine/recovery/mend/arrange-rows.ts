import type { ComparedItem, ComparedTurn } from "./compare-items.ts";
import type { FileRow } from "./file-rows.ts";
import { isLink } from "./file-rows.ts";
import { blocksOf } from "./find-item-rows.ts";
import { leadsNowhere, linkIds } from "./join-chain.ts";
import type { RowPlace } from "./make-rows.ts";
import { callRow, messageRow, resultRow, textRow } from "./make-rows.ts";

/**
 * The rows of the conversation in its order, those that were restored among those of the file. Turns that lack nothing
 * keep the order of the file; a turn that lacks something is put into the order of the log.
 */
export function arrangeRows(
  rows: readonly FileRow[],
  turns: readonly ComparedTurn[],
  place: RowPlace,
): FileRow[] {
  const arrangement = new Arrangement(rows, turns);
  let whole: number[] = [];
  const flush = (): void => {
    for (const index of whole.sort((a, b) => a - b)) arrangement.take(index);
    whole = [];
  };
  for (const turn of turns) {
    if (turn.every(({ missing }) => missing === undefined)) {
      whole.push(...turn.flatMap(indexesOf));
      continue;
    }
    flush();
    putInOrder(turn, arrangement, rows, place);
  }
  flush();
  return arrangement.finish();
}

function putInOrder(
  turn: ComparedTurn,
  arrangement: Arrangement,
  rows: readonly FileRow[],
  place: RowPlace,
): void {
  const items = withJoinedMessages(turn);
  let open: ComparedItem[] = [];
  for (const [index, each] of items.entries()) {
    const { item, call } = each;
    if (item.kind === "call") {
      if (call === undefined) arrangement.add(callRow(item, place));
      else arrangement.take(call);
      open.push(each);
    } else if (each.rows) arrangement.take(each.rows.first);
    else if (each.missing)
      arrangement.add(item.kind === "text" ? textRow(item, place) : messageRow(item, place));
    const later = items.slice(index + 1);
    if (open.some((one) => later.some((other) => areTogether(one, other, rows)))) continue;
    for (const { item: called, result, missing } of open) {
      if (result !== undefined) arrangement.take(result);
      else if (missing && called.kind === "call") arrangement.add(resultRow(called, place));
    }
    open = [];
  }
}

/** A message that joined a turn stands where the CLI read it, which may be later than where the log has it. */
function withJoinedMessages(turn: ComparedTurn): ComparedItem[] {
  const items = turn.filter(({ item, rows }) => item.kind !== "message" || !rows);
  for (const each of turn) {
    const { item, rows } = each;
    if (item.kind !== "message" || !rows) continue;
    const before = turn.slice(0, turn.indexOf(each));
    const isBefore = (other: ComparedItem): boolean =>
      before.includes(other) || (other.rows !== undefined && other.rows.last < rows.first);
    items.splice(items.findLastIndex(isBefore) + 1, 0, each);
  }
  return items;
}

/** Both calls are of one answer, so that their results follow both. */
function areTogether(one: ComparedItem, other: ComparedItem, rows: readonly FileRow[]): boolean {
  if (one.call === undefined || other.call === undefined) {
    return other.call !== undefined && one.result !== undefined && one.result > other.call;
  }
  const answer = rows[one.call]?.row.message?.id;
  const isSame = answer !== undefined && rows[other.call]?.row.message?.id === answer;
  return isSame || (one.result !== undefined && one.result > other.call);
}

const indexesOf = ({ rows, call, result }: ComparedItem): number[] => [
  ...new Set([rows?.first, call, result].filter((index) => index !== undefined)),
];

/** Takes the rows of the file one by one, each with the rows around it that belong to no item of the log. */
class Arrangement {
  readonly #rows: readonly FileRow[];
  readonly #links: ReadonlySet<string>;
  readonly #owned: ReadonlySet<number>;
  readonly #taken = new Set<number>();
  readonly #arranged: FileRow[] = [];
  /** All other rows before this one are taken. */
  #others = 0;

  constructor(rows: readonly FileRow[], turns: readonly ComparedTurn[]) {
    this.#rows = rows;
    this.#links = linkIds(rows);
    this.#owned = new Set(turns.flat().flatMap(indexesOf));
  }

  add(row: FileRow["row"]): void {
    this.#arranged.push({ row });
  }

  take(index: number): void {
    this.#takeOthers(index);
    this.#push(index);
    for (let next = index + 1; this.#isContext(next); next++) this.#push(next);
  }

  finish(): FileRow[] {
    this.#takeOthers(this.#rows.length);
    return this.#arranged;
  }

  #takeOthers(before: number): void {
    for (; this.#others < before; this.#others++) {
      if (!this.#owned.has(this.#others)) this.#push(this.#others);
    }
  }

  #push(index: number): void {
    const row = this.#rows[index];
    if (row === undefined || this.#taken.has(index)) return;
    this.#taken.add(index);
    this.#arranged.push(row);
  }

  /** What the CLI adds to a message or a result, and the model's thinking, unless something before it was lost. */
  #isContext(index: number): boolean {
    const each = this.#rows[index];
    if (each === undefined || this.#owned.has(index)) return false;
    if (!isLink(each)) return true;
    const isThinking = blocksOf(each).some(({ thinking }) => thinking !== undefined);
    return (isThinking || each.row.type === "attachment") && !leadsNowhere(each, this.#links);
  }
}

import type { Conversation, Turn } from "agent-switchboard/client/core";
import { wholeItems } from "../../state/talk-pages.ts";
import type { WholeItem } from "../../state/talk-pages.ts";

/** An item as it is shown: with what the sub-agent that it started has done. */
export interface Row {
  readonly key: string;
  readonly item: WholeItem;
  readonly children: readonly Row[];
}

/** Rows that stand together and leave the document together when nobody looks. */
export interface Block {
  readonly key: string;
  readonly rows: readonly Row[];
  readonly turn: Turn | undefined;
  readonly isFirstOfTurn: boolean;
  readonly isLastOfTurn: boolean;
}

/** What was laid out before: what has not changed keeps its identity, so that it is not drawn again. */
export interface Layout {
  readonly blocks: readonly Block[];
  readonly rows: ReadonlyMap<string, Row>;
  readonly byKey: ReadonlyMap<string, Block>;
}

export const emptyLayout: Layout = { blocks: [], rows: new Map(), byKey: new Map() };

const MAX_ROWS = 12;

/** Lays a conversation out. Messages that wait are left to the composer's queue. */
export function layOut(
  { items, turns }: Pick<Conversation, "items" | "turns">,
  before: Layout,
): Layout {
  const rows = new Map<string, Row>();
  const tops = topRows(wholeItems(items), before.rows, rows);
  const blocks: Block[] = [];
  for (const run of runsOf(tops)) blocks.push(...blocksOf(run, turns, before.byKey));
  return { blocks, rows, byKey: new Map(blocks.map((block) => [block.key, block])) };
}

function topRows(
  items: readonly WholeItem[],
  before: ReadonlyMap<string, Row>,
  rows: Map<string, Row>,
): Row[] {
  const children = new Map<string, WholeItem[]>();
  const calls = new Set<string>();
  for (const item of items) if (item.kind === "tool") calls.add(item.requestId);
  const tops: WholeItem[] = [];
  for (const item of items) {
    if (item.kind === "message" && item.fate === "queued") continue;
    const parent = "parent" in item ? item.parent : undefined;
    if (parent === undefined || !calls.has(parent)) tops.push(item);
    else children.set(parent, [...(children.get(parent) ?? []), item]);
  }
  const rowOf = (item: WholeItem): Row => {
    const own = item.kind === "tool" ? (children.get(item.requestId) ?? []).map(rowOf) : [];
    const { key } = item;
    const known = before.get(key);
    const row =
      known?.item === item && isSameList(known.children, own)
        ? known
        : { key, item, children: own };
    rows.set(key, row);
    return row;
  };
  return tops.map(rowOf);
}

interface Run {
  readonly turnId: string | undefined;
  readonly rows: Row[];
}

function runsOf(rows: readonly Row[]): Run[] {
  const runs: Run[] = [];
  for (const row of rows) {
    const { turnId } = row.item;
    const last = runs.at(-1);
    if (last && last.turnId === turnId) last.rows.push(row);
    else runs.push({ turnId, rows: [row] });
  }
  return runs;
}

function blocksOf(
  { turnId, rows }: Run,
  turns: ReadonlyMap<string, Turn>,
  before: ReadonlyMap<string, Block>,
): Block[] {
  const turn = turnId === undefined ? undefined : turns.get(turnId);
  const blocks: Block[] = [];
  for (let from = 0; from < rows.length; from += MAX_ROWS) {
    const part = rows.slice(from, from + MAX_ROWS);
    const block: Block = {
      key: part[0]?.key ?? "",
      rows: part,
      turn,
      isFirstOfTurn: turnId !== undefined && from === 0,
      isLastOfTurn: turnId !== undefined && from + MAX_ROWS >= rows.length,
    };
    const known = before.get(block.key);
    blocks.push(known && isSameBlock(known, block) ? known : block);
  }
  return blocks;
}

const isSameBlock = (one: Block, other: Block): boolean =>
  one.turn === other.turn &&
  one.isFirstOfTurn === other.isFirstOfTurn &&
  one.isLastOfTurn === other.isLastOfTurn &&
  isSameList(one.rows, other.rows);

const isSameList = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && one.every((each, index) => each === other[index]);

import type { FileRow } from "./file-rows.ts";
import { isLink } from "./file-rows.ts";
import { blocksOf } from "./find-item-rows.ts";

export interface JoinedChain {
  rows: FileRow[];
  /** How many rows led to a row that is not there. */
  joined: number;
  /** How many of those have no new row before them: what stood there is still missing. */
  gaps: number;
}

/** Ids of the rows that others may hang on. */
export const linkIds = (rows: readonly FileRow[]): Set<string> =>
  new Set(rows.filter(isLink).flatMap(({ row }) => row.uuid ?? []));

/** The row hangs on one that is not in the file. */
export const leadsNowhere = (each: FileRow, known: ReadonlySet<string>): boolean =>
  isLink(each) && typeof each.row.parentUuid === "string" && !known.has(each.row.parentUuid);

/**
 * Hangs each new row, and each row that leads nowhere, on the row before it. A row of the conversation that hung on
 * one before new rows hangs on the row before it as well, so that the chain leads through the new ones.
 *
 * @param rows in the order of the conversation; new ones have no `line`.
 * @param live ids of the rows that the conversation goes through: others belong to branches that were left.
 */
export function joinChain(rows: readonly FileRow[], live: ReadonlySet<string>): JoinedChain {
  const known = linkIds(rows);
  const positions = new Map<string, number>();
  let joined = 0;
  let gaps = 0;
  let before: FileRow | undefined;
  /** The position of the last row that hangs on another one than it did. */
  let moved = -1;
  const chain = rows.map((each, position): FileRow => {
    const { uuid, parentUuid } = each.row;
    if (uuid === undefined || !isLink(each)) return each;
    positions.set(uuid, position);
    const isNew = each.line === undefined;
    const isLost = !isNew && leadsNowhere(each, known);
    if (isLost) joined += 1;
    if (isLost && before?.line !== undefined) gaps += 1;
    const parentAt = typeof parentUuid === "string" ? positions.get(parentUuid) : -1;
    const isLive = isNew || live.has(uuid);
    // Its parent comes later now, or other rows came between them.
    const isPassedBy = isLive && !isBoundary(each) && (parentAt === undefined || parentAt < moved);
    const hangs = isNew || isLost || isPassedBy ? hang(each, before?.row.uuid ?? null) : each;
    if (!isLive) return hangs;
    if (hangs !== each) moved = position;
    before = each;
    return hangs;
  });
  return { rows: chain, joined, gaps };
}

/**
 * Ids of the rows that lead to the last one, with the other calls of the same answers and their results: the CLI hangs
 * the result of each call on its own call, and the conversation goes on behind one of them.
 */
export function liveIds(rows: readonly FileRow[]): Set<string> {
  const links = rows.filter(isLink);
  const known = linkIds(links);
  const parents = new Map<string, string | null | undefined>();
  let before: string | undefined;
  for (const each of links) {
    const { uuid = "", parentUuid, logicalParentUuid } = each.row;
    parents.set(uuid, leadsNowhere(each, known) ? before : (parentUuid ?? logicalParentUuid));
    before = uuid;
  }
  const live = new Set<string>();
  for (let at: string | null | undefined = before; at && !live.has(at);) {
    live.add(at);
    at = parents.get(at);
  }
  const answers = new Set<string>();
  for (const { row } of links) {
    if (row.type === "assistant" && live.has(row.uuid ?? "")) answers.add(row.message?.id ?? "");
  }
  const calls = new Set<unknown>();
  for (const each of links) {
    const { uuid = "", type, message } = each.row;
    const isPart = type === "assistant" && answers.has(message?.id ?? "");
    if (isPart) for (const { id } of blocksOf(each)) calls.add(id);
    const isResult = blocksOf(each).some(
      ({ tool_use_id }) => tool_use_id !== undefined && calls.has(tool_use_id),
    );
    if (isPart || isResult) live.add(uuid);
  }
  return live;
}

const hang = ({ row }: FileRow, parentUuid: string | null): FileRow => ({
  row: { ...row, parentUuid },
});

/** The first row after a compaction begins a chain of its own. */
const isBoundary = ({ row }: FileRow): boolean => row.logicalParentUuid !== undefined;

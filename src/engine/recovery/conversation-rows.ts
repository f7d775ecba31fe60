import { readFileSync } from "node:fs";
import type { Row } from "./transcript.ts";
import { linesOf, parseRow } from "./transcript.ts";

/**
 * The rows of a conversation in the CLI's transcript, oldest first; with `upTo`, only up to that row. An unreadable file
 * has none.
 */
export function conversationRows(path: string, upTo?: string): Row[] {
  return branchTo(rowsOf(path), upTo);
}

function rowsOf(path: string): Row[] {
  try {
    return [...linesOf(readFileSync(path))].flatMap((line) => parseRow(line) ?? []);
  } catch {
    return [];
  }
}

/** The rows that lead to the last one: others belong to abandoned branches. */
function branchTo(rows: readonly Row[], upTo: string | undefined): Row[] {
  const known = rows.filter(({ uuid, isSidechain }) => uuid !== undefined && !isSidechain);
  const byId = new Map(known.map((row) => [row.uuid, row]));
  const branch = new Set<Row>();
  for (let row = upTo === undefined ? known.at(-1) : byId.get(upTo); row && !branch.has(row);) {
    branch.add(row);
    row = byId.get(row.parentUuid ?? row.logicalParentUuid ?? undefined);
  }
  return [...branch].toReversed();
}

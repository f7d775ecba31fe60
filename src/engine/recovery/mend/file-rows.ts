import type { Row } from "../transcript.ts";
import { linesOf, parseRow } from "../transcript.ts";

/** A line of the CLI's transcript. */
export interface FileRow {
  row: Row;
  /** The bytes in the file; absent when the row is new or was changed. */
  line?: Buffer;
}

/**
 * The rows of a file. A line that was cut holds no row, but what the CLI wrote next may be on the same line: such a
 * row is `hidden`, because the CLI does not find it there.
 */
export function fileRows(bytes: Buffer): { rows: FileRow[]; hidden: number } {
  const rows: FileRow[] = [];
  let hidden = 0;
  for (const line of linesOf(bytes)) {
    if (line.length === 0) continue;
    const row = parseRow(line);
    if (isRow(row)) {
      rows.push({ row, line });
      continue;
    }
    const rest = rowAtEnd(line);
    if (!rest) continue;
    hidden += 1;
    rows.push(rest);
  }
  return { rows, hidden };
}

/** Rows of the CLI begin with one of these. */
const beginnings = ['{"parentUuid":', '{"type":'];

/** Of the positions where a row may begin, the first from which the line parses to its end. */
function rowAtEnd(line: Buffer): FileRow | undefined {
  const starts = beginnings
    .flatMap((beginning) => originsOf(beginning, line))
    .sort((a, b) => a - b)
    .slice(0, MAX_TRIES);
  for (const start of starts) {
    const rest = line.subarray(start);
    const row = parseRow(rest);
    // A fragment of a row, such as a block of an answer, names no session.
    if (isRow(row) && row.sessionId !== undefined) return { row, line: rest };
  }
  return undefined;
}

/** A text in a row may contain what looks like rows. */
const MAX_TRIES = 100;

function originsOf(text: string, line: Buffer): number[] {
  const places: number[] = [];
  for (let at = line.indexOf(text, 1); at !== -1; at = line.indexOf(text, at + 1)) places.push(at);
  return places;
}

const isRow = (row: Row | null): row is Row =>
  typeof row === "object" && row !== null && typeof row.type === "string";

/** A row that is part of the conversation's chain. */
export const isLink = ({ row }: FileRow): boolean =>
  row.uuid !== undefined && row.isSidechain !== true;

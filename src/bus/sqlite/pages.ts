import type { SQLInputValue } from "node:sqlite";
import type { PageRequest, Rows } from "../store.ts";

/** The end of a query whose WHERE has begun: one row more than asked for tells whether there is more. */
export function placeRange(
  { newestFirst, limit, after }: PageRequest,
  column: string,
): { sql: string; values: SQLInputValue[] } {
  const edge = after ?? (newestFirst ? Number.MAX_SAFE_INTEGER : 0);
  const [comparison, direction] = newestFirst ? ["<", "DESC"] : [">", "ASC"];
  return {
    sql: `AND ${column} ${comparison} ? ORDER BY ${column} ${direction} LIMIT ?`,
    values: [edge, limit + 1],
  };
}

export const pageOfRows = <R>(rows: R[], { limit }: PageRequest): Rows<R> => ({
  rows: rows.slice(0, limit),
  more: rows.length > limit,
});

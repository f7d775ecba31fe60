import type { SQLInputValue } from "node:sqlite";
import type { PageRequest, RowPage } from "../store.ts";

/** The end of a query whose WHERE has begun. Reads one row more than requested, to know whether there are more. */
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

export const pageOfRows = <R>(rows: R[], { limit }: PageRequest): RowPage<R> => ({
  rows: rows.slice(0, limit),
  more: rows.length > limit,
});

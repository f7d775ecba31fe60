import type { PageRequest, RowPage } from "../store.ts";

export function pageOfRows<R extends { seq: number }>(
  rows: readonly R[],
  { newestFirst, limit, after }: PageRequest,
): RowPage<R> {
  const sign = newestFirst ? -1 : 1;
  const sorted = rows
    .filter(({ seq }) => after === undefined || sign * seq > sign * after)
    .toSorted((a, b) => sign * (a.seq - b.seq));
  return { rows: sorted.slice(0, limit), more: sorted.length > limit };
}

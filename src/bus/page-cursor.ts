import { errorOf } from "../wire/errors.ts";
import type { Page } from "./records.ts";
import type { PageRequest, RowPage } from "./store.ts";

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

interface Asked {
  order?: "oldest" | "newest";
  limit?: number;
  cursor?: string;
}

/** Fails with `invalid_params` on a cursor that is not from a page, or is from a page in another order. */
export function pageRequest(asked: Asked, order: "oldest" | "newest"): PageRequest {
  const newestFirst = (asked.order ?? order) === "newest";
  const limit = Math.min(Math.max(Math.trunc(asked.limit ?? DEFAULT_LIMIT), 1), MAX_LIMIT);
  const after = asked.cursor === undefined ? undefined : readCursor(asked.cursor, newestFirst);
  return { newestFirst, limit, after };
}

export function pageOf<Row extends { seq: number }, Item>(
  { rows, more }: RowPage<Row>,
  { newestFirst }: PageRequest,
  itemOf: (row: Row) => Item,
): Page<Item> {
  const last = rows.at(-1);
  const items = rows.map(itemOf);
  return more && last ? { items, cursor: writeCursor(last.seq, newestFirst) } : { items };
}

const writeCursor = (seq: number, newestFirst: boolean): string =>
  Buffer.from(`${newestFirst ? "n" : "o"}${seq}`).toString("base64url");

function readCursor(cursor: string, newestFirst: boolean): number {
  const text = Buffer.from(cursor, "base64url").toString();
  const seq = Number(text.slice(1));
  if (!/^[no]\d{1,15}$/.test(text) || text.startsWith("n") !== newestFirst) {
    throw errorOf("invalid_params", "The cursor is not from this query.", {
      hint: "Pass the cursor of the previous page, with the same filter and order.",
    });
  }
  return seq;
}

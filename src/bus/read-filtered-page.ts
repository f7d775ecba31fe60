import type { Page } from "./records.ts";

/** Where a read begins, and how many items it returns at most. */
export interface PageStart {
  readonly cursor?: string;
  readonly limit: number;
}

export interface FilteredPageOptions<Item, Kept> {
  readonly read: (from: PageStart) => Promise<Page<Item>>;
  /** What the page has of an item; undefined when the item does not pass. */
  readonly keep: (item: Item) => Promise<Kept | undefined> | Kept | undefined;
  readonly limit: number;
  /** The cursor of the page before. */
  readonly cursor?: string | undefined;
}

/** How much is read for one page. If few items pass, the page is short, or empty. */
const MAX_ITEMS = 2000;
const MAX_READS = 100;

/** A page of the items that pass, in bounded work. With a cursor there may be more, also when the page is empty. */
export async function filteredPage<Item, Kept>({
  read,
  keep,
  limit,
  cursor,
}: FilteredPageOptions<Item, Kept>): Promise<Page<Kept>> {
  const kept: Kept[] = [];
  let next = cursor;
  let count = 0;
  for (let reads = 0; reads < MAX_READS && count < MAX_ITEMS && kept.length < limit; reads += 1) {
    // No more than the page still takes: so the cursor of the last read is that of the page.
    const from = { limit: limit - kept.length, ...(next !== undefined && { cursor: next }) };
    const page = await read(from);
    count += page.items.length;
    for (const item of page.items) {
      const passed = await keep(item);
      if (passed !== undefined) kept.push(passed);
    }
    next = page.cursor;
    if (next === undefined) return { items: kept };
  }
  return { items: kept, ...(next !== undefined && { cursor: next }) };
}

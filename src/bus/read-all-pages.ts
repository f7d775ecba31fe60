import type { Page } from "./records.ts";

/** Yields page after page, to the end. Spread the argument of `read` into its query. */
export async function* pagesOf<Item>(
  read: (from: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item[]> {
  let from: { cursor?: string } | undefined = {};
  while (from) {
    const { items, cursor }: Page<Item> = await read(from);
    yield items;
    from = cursor === undefined ? undefined : { cursor };
  }
}

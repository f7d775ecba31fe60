import type { Page } from "./records.ts";

/** One page after the other, to the end. What `read` is given belongs into its query. */
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

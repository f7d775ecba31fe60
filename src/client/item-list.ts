import type { ConversationItem, ToolItem } from "./conversation.ts";

/** Where the items of one list are. */
interface Index {
  /** By key: where the item was last. It may have moved towards the beginning since. */
  readonly at: Map<string, number>;
  /** Keys of calls that the model began to write. */
  readonly begun: Set<string>;
}

/** The index of a list moves on with its first change. For a second change of the same list another one is made. */
const indexes = new WeakMap<readonly ConversationItem[], Index>();

export const turnKey = (turnId: string): string => `turn/${turnId}`;
export const callKey = (requestId: string): string => `call/${requestId}`;
export const messageKey = (id: string): string => `message/${id}`;

/** A call that the model began to write and has not made. */
const isUnfinished = (item: ConversationItem | undefined): item is ToolItem =>
  item?.kind === "tool" && item.input === undefined && item.request === undefined;

/** The items of a conversation while it is being changed. The given list stays unchanged. */
export class ItemList {
  readonly #before: readonly ConversationItem[];
  #own: ConversationItem[] | undefined;
  #index: Index | undefined;

  constructor(before: readonly ConversationItem[]) {
    this.#before = before;
  }

  get length(): number {
    return this.#items.length;
  }

  /** The item with this key, or the stub that stands for it. */
  get(key: string): ConversationItem | undefined {
    return this.#items[this.#find(key)];
  }

  /** The newest item of which this is true. */
  findLast<Item extends ConversationItem>(
    is: (item: ConversationItem) => item is Item,
  ): Item | undefined {
    return this.#items.findLast(is);
  }

  /** In the place of the item with the same key, or at the end. */
  set(item: ConversationItem): void {
    const index = this.#find(item.key);
    if (index < 0) this.#append(item);
    else this.#changed[index] = item;
    if (isUnfinished(item)) this.#known.begun.add(item.key);
  }

  remove(key: string): void {
    const index = this.#find(key);
    if (index < 0) return;
    this.#changed.splice(index, 1);
    this.#known.at.delete(key);
    this.#known.begun.delete(key);
  }

  moveToEnd(item: ConversationItem): void {
    this.remove(item.key);
    this.#append(item);
  }

  /** The calls that the model began to write and has not made. */
  unfinished(): ToolItem[] {
    const { begun } = this.#known;
    return [...begun].flatMap((key) => {
      const item = this.get(key);
      if (isUnfinished(item)) return item;
      begun.delete(key);
      return [];
    });
  }

  /** The list after the changes; the given one if there were none. This object must not be used any more. */
  done(): readonly ConversationItem[] {
    if (this.#index) indexes.set(this.#items, this.#index);
    return this.#items;
  }

  get #items(): readonly ConversationItem[] {
    return this.#own ?? this.#before;
  }

  get #changed(): ConversationItem[] {
    this.#own ??= [...this.#before];
    return this.#own;
  }

  get #known(): Index {
    if (this.#index) return this.#index;
    this.#index = indexes.get(this.#before) ?? indexOf(this.#before);
    indexes.delete(this.#before);
    return this.#index;
  }

  #append(item: ConversationItem): void {
    this.#known.at.set(item.key, this.#changed.push(item) - 1);
  }

  #find(key: string): number {
    const { at } = this.#known;
    const last = at.get(key);
    if (last === undefined) return -1;
    const items = this.#items;
    let index = Math.min(last, items.length - 1);
    while (index >= 0 && !stands(items[index], key)) index -= 1;
    if (index !== last) at.set(key, index);
    return index;
  }
}

const stands = (item: ConversationItem | undefined, key: string): boolean =>
  item?.key === key || (item?.kind === "stub" && keysBehind(item.openCalls).includes(key));

const keysBehind = (openCalls: readonly string[] = []): string[] => openCalls.map(callKey);

function indexOf(items: readonly ConversationItem[]): Index {
  const at = new Map<string, number>();
  const begun = new Set<string>();
  for (const [index, item] of items.entries()) {
    at.set(item.key, index);
    if (isUnfinished(item)) begun.add(item.key);
    if (item.kind === "stub") for (const key of keysBehind(item.openCalls)) at.set(key, index);
  }
  return { at, begun };
}

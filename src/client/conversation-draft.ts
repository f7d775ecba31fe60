import type { Conversation, Turn } from "./conversation.ts";
import { ItemList } from "./item-list.ts";

/** A conversation that is being changed. What it shares with the given one is replaced, never changed in place. */
export interface Draft extends Omit<
  { -readonly [Key in keyof Conversation]: Conversation[Key] },
  "items" | "turns"
> {
  readonly list: ItemList;
  readonly turns: ChangedTurns;
}

/** The turns of a conversation, copied before the first change. */
export class ChangedTurns {
  readonly #before: ReadonlyMap<string, Turn>;
  #own: Map<string, Turn> | undefined;

  constructor(before: ReadonlyMap<string, Turn>) {
    this.#before = before;
  }

  get(id: string): Turn | undefined {
    return this.done().get(id);
  }

  set(turn: Turn): void {
    this.#own ??= new Map(this.#before);
    this.#own.set(turn.id, turn);
  }

  done(): ReadonlyMap<string, Turn> {
    return this.#own ?? this.#before;
  }
}

export function draftOf({ items, turns, ...rest }: Conversation): Draft {
  return { ...rest, list: new ItemList(items), turns: new ChangedTurns(turns) };
}

export function conversationOf({ list, turns, ...rest }: Draft): Conversation {
  return { ...rest, items: list.done(), turns: turns.done() };
}

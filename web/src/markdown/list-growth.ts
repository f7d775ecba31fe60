import type { List, ListItem, RootContent } from "mdast";
import { type Groups, type ItemsBlock, addParts, noParts } from "./blocks.ts";
import { type Growth, type Source, type Step, windowEnd } from "./growth.ts";
import { ALWAYS_PARSED, GROWTH, MAX_WINDOWS, isTame } from "./limits.ts";
import { lineOf, parse, parseUnfinished } from "./parse.ts";

/** A list whose items are final once the next one has begun. */
export class ListGrowth implements Growth {
  readonly #ordered: boolean;
  readonly #start: number;
  #items: Groups<ListItem> = noParts;
  #open: ListItem | undefined;
  rest = "";
  /** Where the last item begins, and up to where it has been parsed. */
  #at = 0;
  #parsed = 0;
  #shown = 0;
  #windows = 1;

  constructor(list: List) {
    this.#ordered = list.ordered ?? false;
    this.#start = list.start ?? 1;
  }

  get node(): ItemsBlock {
    const [ordered, start] = [this.#ordered, this.#start];
    return { type: "items", ordered, start, items: this.#items, open: this.#open };
  }

  grow(source: Source): Step {
    const { text, lines, ended } = source;
    if (ended || (this.#parsed < lines && this.#isDue(lines))) {
      const step = this.#parse(source);
      if (step !== undefined) return step;
    }
    this.#show(text);
    return { is: "waits" };
  }

  /** A long item is parsed again only when it has become a good deal longer. */
  #isDue(end: number): boolean {
    const length = end - this.#at;
    return length <= ALWAYS_PARSED || length >= (this.#shown - this.#at) * GROWTH;
  }

  #parse(source: Source): Step | undefined {
    const { text, lines, ended } = source;
    const end = windowEnd(source, this.#at, this.#windows);
    const part = text.slice(this.#at, end);
    if (!isTame(part)) return this.#giveUp();
    const [list, after] = parse(part).children as (RootContent | undefined)[];
    // Blank lines after the list are no nodes, and what is no list here was none with the lines before it either.
    if (list?.type !== "list") return { is: "ended", at: this.#at };
    const isLast = ended && end === lines;
    if (after !== undefined || isLast) {
      this.#items = addParts<ListItem>(this.#items, list.children);
      this.#open = undefined;
      return { is: "ended", at: after === undefined ? end : this.#at + lineOf(part, after) };
    }
    const last = list.children.at(-1);
    this.#items = addParts<ListItem>(this.#items, list.children.slice(0, -1));
    this.#open = last;
    this.#at += lineOf(part, last);
    this.#parsed = end;
    this.#shown = end;
    this.rest = "";
    if (list.children.length > 1) this.#windows = 1;
    else if (end < lines) this.#windows *= 2;
    if (this.#windows > MAX_WINDOWS) return this.#giveUp();
    return end < lines ? { is: "more" } : undefined;
  }

  #giveUp(): Step {
    this.#open = undefined;
    this.rest = "";
    return { is: "ended", at: this.#at, plain: true };
  }

  #show(text: string): void {
    if (this.#shown < text.length && this.#isDue(text.length)) {
      const part = text.slice(this.#at);
      const list = isTame(part) ? parseUnfinished(part)[0] : undefined;
      if (list?.type === "list") {
        this.#open = list.children.at(-1);
        this.#shown = text.length;
      }
    }
    this.rest = text.slice(this.#shown);
  }
}

import { type Block, type BlockNode, addText } from "./blocks.ts";
import { FenceGrowth } from "./fence-growth.ts";
import type { Growth, Source } from "./growth.ts";
import { TailGrowth } from "./tail-growth.ts";

const BUDGET_MS = 8;

/**
 * A Markdown text that grows, as blocks. All blocks but the last are final, and so are the parts of the last one
 * before its own last part (items of a list, rows of a table, groups of 64 lines of code): they keep their identity.
 * What is shown while a text grows is what its parts so far mean; when it has ended, the blocks are those of a parse of
 * the whole text. Links by reference are the exception: only a definition near to them is found.
 * A text that cannot be parsed in bounded time (limits.ts) is shown as it is written.
 */
export class StreamedMarkdown {
  /** From the beginning of the open block on. */
  #text = "";
  #lines = 0;
  #heldReturn = false;
  #begun = false;
  #ended = false;
  #final: Block[] = [];
  #open: Growth | undefined;
  #key = 0;
  #blocks: readonly Block[] | undefined = [];

  /** All blocks. Another array when something has changed. */
  get blocks(): readonly Block[] {
    this.#blocks ??= [...this.#final, ...this.#openBlocks()];
    return this.#blocks;
  }

  append(text: string): void {
    let more = (this.#heldReturn ? "\r" : "") + text;
    this.#heldReturn = more.endsWith("\r");
    if (this.#heldReturn) more = more.slice(0, -1);
    if (!this.#begun && more.startsWith("\u{feff}")) more = more.slice(1);
    this.#begun ||= more !== "";
    more = more.replace(/\r\n?/g, "\n").replaceAll("\0", "\u{fffd}");
    const lineEnd = more.lastIndexOf("\n");
    if (lineEnd >= 0) this.#lines = this.#text.length + lineEnd + 1;
    this.#text += more;
  }

  /** Nothing more comes. `update` then makes the last block final. */
  finish(): void {
    if (this.#heldReturn) this.append("\n");
    this.#ended = true;
  }

  /**
   * Takes what has come, for about so many milliseconds: a step that has begun is finished, which takes up to 50 ms for
   * the worst texts. Returns whether there is more to do.
   */
  update(budgetMs: number = BUDGET_MS): boolean {
    const until = performance.now() + budgetMs;
    do {
      if (!this.#step()) return false;
    } while (performance.now() < until);
    return true;
  }

  #step(): boolean {
    this.#blocks = undefined;
    const source = this.#source();
    this.#open ??= this.#begin(source);
    if (this.#open === undefined) return false;
    const step = this.#open.grow(source);
    if (step.is === "waits") return false;
    if (step.is === "more") return true;
    this.#close(this.#open, step.at, step.plain ?? step.at === 0);
    return this.#text !== "" || this.#open !== undefined;
  }

  #source(): Source {
    const text = this.#text;
    return { text, lines: this.#ended ? text.length : this.#lines, ended: this.#ended };
  }

  #begin(source: Source): Growth | undefined {
    if (source.text === "") return undefined;
    return FenceGrowth.at(source) ?? new TailGrowth();
  }

  #close(growth: Growth, at: number, plain: boolean): void {
    if (growth instanceof TailGrowth) {
      for (const node of growth.final) this.#add(node);
      this.#open = growth.next;
    } else {
      if (!isEmpty(growth.node)) this.#add(growth.node);
      this.#open = undefined;
    }
    this.#text = this.#text.slice(at);
    this.#lines = Math.max(0, this.#lines - at);
    if (this.#open === undefined && plain && this.#text !== "")
      this.#open = new TailGrowth("plain");
  }

  #add(node: BlockNode): void {
    this.#final.push({ key: this.#key++, node, open: false });
  }

  #openBlocks(): Block[] {
    if (this.#open === undefined) return [];
    const { rest } = this.#open;
    const nodes = this.#open instanceof TailGrowth ? this.#open.nodes : [this.#open.node];
    return nodes.map((node, index) => ({
      key: this.#key + index,
      node,
      open: true,
      ...(rest !== "" && index === nodes.length - 1 && { rest: addText([], rest) }),
    }));
  }
}

const isEmpty = (node: BlockNode): boolean =>
  node.type === "items" && node.items.full.length + node.items.last.length === 0;

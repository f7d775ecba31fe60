import type { RootContent } from "mdast";
import { type BlockNode, addText, blockOf } from "./blocks.ts";
import { type Growth, type Source, type Step, windowEnd } from "./growth.ts";
import { ALWAYS_PARSED, GROWTH, MAX_PARSED, MAX_WINDOWS, isTame } from "./limits.ts";
import { ListGrowth } from "./list-growth.ts";
import { lineOf, parse, parseUnfinished } from "./parse.ts";
import { TableGrowth } from "./table-growth.ts";

/**
 * The end of the text while it is not known what it becomes: a paragraph, a quotation, or the first line of a list or a
 * table. It ends as soon as it has final blocks, or when it has become a block that grows in its own way.
 */
export class TailGrowth implements Growth {
  /** The blocks that came to be final, and the growth of the block that follows, if it has its own. */
  final: readonly BlockNode[] = [];
  next: Growth | undefined;
  nodes: readonly BlockNode[] = [];
  rest = "";
  #parsed = 0;
  #shown = 0;
  #isParagraph = false;
  #searched = 0;
  #windows = 1;
  #isPlain: boolean;
  #plain: readonly string[] = [];

  constructor(as: "parsed" | "plain" = "parsed") {
    this.#isPlain = as === "plain";
  }

  get node(): BlockNode {
    return this.nodes.at(-1) ?? plainOf("");
  }

  grow(source: Source): Step {
    if (this.#isPlain) return this.#growPlain(source);
    const { text, lines, ended } = source;
    if (ended || (this.#parsed < lines && this.#isDue(lines))) {
      const step = this.#parse(source, windowEnd(source, 0, this.#windows));
      if (step !== undefined) return step;
    }
    if (ended || text.length > ALWAYS_PARSED) {
      const end = this.#blankLine(source) ?? (ended ? text.length : undefined);
      if (end !== undefined) {
        this.#searched = end;
        return this.#parse(source, end, true) ?? { is: "more" };
      }
      if (text.length > MAX_PARSED) return this.#becomePlain();
    }
    this.#show(text);
    return { is: "waits" };
  }

  #isDue(end: number): boolean {
    return end <= ALWAYS_PARSED || (!this.#isParagraph && end >= this.#shown * GROWTH);
  }

  /** Looks which blocks the complete lines before `end` are. */
  #parse(source: Source, end: number, closed = false): Step | undefined {
    const part = source.text.slice(0, end);
    if (!isTame(part)) return this.#becomePlain();
    const isWhole = source.ended && end === source.text.length;
    const nodes = parse(part).children;
    const last = nodes.at(-1);
    if (last === undefined) return { is: "ended", at: end };
    this.#parsed = end;
    this.#isParagraph = last.type === "paragraph";
    if (isWhole || (closed && !mayGoOn(last))) {
      this.final = nodes.map(blockOf);
      return { is: "ended", at: end };
    }
    const first = firstOpen(nodes);
    const at = lineOf(part, nodes[first]);
    this.next = growthOf(last, part.slice(lineOf(part, last)));
    if (first === 0 && this.next === undefined) {
      return end < source.lines && (!this.#isParagraph || end <= ALWAYS_PARSED)
        ? this.#widen()
        : undefined;
    }
    this.final = nodes.slice(0, first).map(blockOf);
    return { is: "ended", at };
  }

  /** One block fills the window: it is looked at again with twice as much. */
  #widen(): Step {
    this.#windows *= 2;
    return this.#windows > MAX_WINDOWS ? this.#becomePlain() : { is: "more" };
  }

  #becomePlain(): Step {
    this.#isPlain = true;
    this.nodes = [];
    this.rest = "";
    this.#shown = 0;
    this.#searched = 0;
    return { is: "more" };
  }

  #growPlain(source: Source): Step {
    const { text, ended } = source;
    const end = this.#blankLine(source) ?? text.length;
    this.#plain = addText(this.#plain, text.slice(this.#shown, end));
    this.#shown = end;
    this.nodes = [{ type: "plain", texts: this.#plain }];
    if (end === text.length && !ended) return { is: "waits" };
    this.final = this.nodes;
    return { is: "ended", at: end };
  }

  /** Where the first blank line ends. */
  #blankLine({ text, lines }: Source): number | undefined {
    const blank = /\n[ \t]*\n/g;
    blank.lastIndex = this.#searched;
    const found = blank.exec(text);
    if (found !== null) return found.index + found[0].length;
    const mayBeBlank = text.slice(lines, lines + 1_000).trim() === "";
    this.#searched = lines > 0 && mayBeBlank ? lines - 1 : text.length;
    return undefined;
  }

  #show(text: string): void {
    if (this.#shown < text.length && this.#isDue(text.length) && isTame(text)) {
      this.nodes = parseUnfinished(text).map(blockOf);
      this.#shown = text.length;
      this.#isParagraph = this.nodes.at(-1)?.type === "paragraph";
    }
    this.rest = text.slice(this.#shown);
    if (this.nodes.length === 0 && this.rest !== "") {
      this.nodes = [plainOf(this.rest)];
      this.rest = "";
    }
  }
}

const plainOf = (text: string): BlockNode => ({ type: "plain", texts: addText([], text) });

/** A blank line ends paragraphs, but not all blocks. */
const mayGoOn = (node: RootContent): boolean => node.type === "list" || node.type === "code";

/**
 * All blocks before the last are final. A definition is not when the next block stands right below: the title of a
 * definition may take several lines.
 */
function firstOpen(nodes: readonly RootContent[]): number {
  let first = nodes.length - 1;
  while (first > 0) {
    const [before, node] = [nodes[first - 1], nodes[first]];
    if (before?.type !== "definition") break;
    if ((node?.position?.start.line ?? 0) - (before.position?.end.line ?? 0) > 1) break;
    first--;
  }
  return first;
}

function growthOf(node: RootContent, text: string): Growth | undefined {
  if (node.type === "list") return new ListGrowth(node);
  return node.type === "table" ? TableGrowth.of(text, node) : undefined;
}

import type { AlignType, Table, TableRow } from "mdast";
import { type Groups, type RowsBlock, addParts, noParts } from "./blocks.ts";
import { type Growth, type Source, type Step, windowEnd } from "./growth.ts";
import { isTame } from "./limits.ts";
import { lineOf, parse, parseUnfinished } from "./parse.ts";

const MAX_LINES = 32;
/** Of a window: rows of many columns take their time. */
const PART = 0.5;
const MAX_UNFINISHED = 4_096;

/** A table whose rows are final when their line is complete: they are parsed with the head alone. */
export class TableGrowth implements Growth {
  readonly #headText: string;
  readonly #head: TableRow;
  readonly #align: readonly AlignType[];
  #rows: Groups<TableRow> = noParts;
  #open: TableRow | undefined;
  #at: number;
  rest = "";

  private constructor(headText: string, table: Table, head: TableRow) {
    this.#headText = headText;
    this.#head = head;
    this.#align = table.align ?? [];
    this.#at = headText.length;
  }

  /** For a text that begins with the two lines of the table's head. */
  static of(text: string, table: Table): TableGrowth | undefined {
    const end = text.indexOf("\n", text.indexOf("\n") + 1) + 1;
    const head = table.children[0];
    return head === undefined || end === 0
      ? undefined
      : new TableGrowth(text.slice(0, end), table, head);
  }

  get node(): RowsBlock {
    const [head, align, rows] = [this.#head, this.#align, this.#rows];
    return { type: "rows", head, align, rows, open: this.#open };
  }

  grow(source: Source): Step {
    const { text, lines, ended } = source;
    this.#open = undefined;
    this.rest = "";
    if (this.#at < lines) {
      const end = this.#batchEnd(source);
      if (end === this.#at) return { is: "ended", at: end };
      const part = this.#headText + text.slice(this.#at, end);
      if (!isTame(part)) return { is: "ended", at: this.#at, plain: true };
      const [table, after] = parse(part).children;
      if (table?.type !== "table") return { is: "ended", at: this.#at };
      this.#rows = addParts<TableRow>(this.#rows, table.children.slice(1));
      if (after !== undefined) {
        return { is: "ended", at: this.#at + lineOf(part, after) - this.#headText.length };
      }
      this.#at = end;
      return { is: "more" };
    }
    if (ended) return { is: "ended", at: this.#at };
    this.#show(text.slice(this.#at));
    return { is: "waits" };
  }

  /** Before a blank line, and after 32 lines at most. */
  #batchEnd(source: Source): number {
    const most = windowEnd(source, this.#at, PART);
    let at = this.#at;
    for (let lines = 0; at < most && lines < MAX_LINES; lines++) {
      const found = source.text.indexOf("\n", at);
      const end = found < 0 ? source.text.length : found;
      if (source.text.slice(at, Math.min(end, at + 100)).trim() === "" && end - at < 100) break;
      at = Math.min(most, end + 1);
    }
    return at;
  }

  #show(line: string): void {
    const part = this.#headText + line;
    const isShort = line.trim() !== "" && line.length <= MAX_UNFINISHED && isTame(part);
    const table = isShort ? parseUnfinished(part)[0] : undefined;
    this.#open = table?.type === "table" ? table.children[1] : undefined;
    if (this.#open === undefined) this.rest = line;
  }
}

import { cleanText } from "./clean-text.ts";
import type { PrintedPart } from "./paint-markdown.ts";
import { givenUpTo, MarkdownLines, nothingGiven } from "./paint-markdown.ts";
import type { ShownLine } from "./paint-markdown.ts";
import type { Paint } from "./terminal-formats.ts";
import type { PieceRow } from "./piece-rows.ts";
import { pieceRows } from "./piece-rows.ts";

/** Rows that may still change are redrawn with every piece, so there must not be many. */
const MAX_GROWING_ROWS = 4;

export interface TerminalRows {
  readonly finished: readonly string[];
  readonly growing: readonly string[];
}

/**
 * A text of the model, as it arrives in pieces of any size. Finished output is counted in characters of the text
 * rather than rows, so that the terminal may change its width at any time.
 */
export class RunningText {
  readonly #paint: Paint;
  readonly #kind: "text" | "thinking";
  readonly #columns: () => number;
  readonly #markdown = new MarkdownLines();
  #line = "";
  /** How much of the unfinished line has been printed. */
  #given: PrintedPart = nothingGiven;
  #growing: readonly PieceRow[] = [];
  #isFirst = true;

  constructor(kind: "text" | "thinking", paint: Paint, columns: () => number) {
    this.#kind = kind;
    this.#paint = paint;
    this.#columns = columns;
  }

  push(piece: string): TerminalRows {
    const lines = (this.#line + cleanText(piece)).split("\n");
    this.#line = lines.pop() ?? "";
    const finished = lines.flatMap((line) => this.#end(line));
    const rows = this.#line === "" ? [] : this.#rows(this.#line);
    const ready = Math.max(rows.length - MAX_GROWING_ROWS, 0);
    this.#growing = rows.slice(ready);
    const first = this.#growing[0];
    if (ready > 0 && first) this.#giveUpTo(first.from);
    finished.push(...texts(rows.slice(0, ready)));
    return { finished, growing: texts(this.#growing) };
  }

  /** The first `count` growing rows have scrolled off the terminal, which keeps them as they are. */
  keep(count: number): void {
    if (count === 0) return;
    this.#giveUpTo(this.#growing[count]?.from ?? this.#line.length);
    this.#growing = this.#growing.slice(count);
  }

  /** The rest, when no more will come. */
  end(): string[] {
    const rows = this.#line === "" ? [] : this.#end(this.#line);
    this.#line = "";
    this.#growing = [];
    return rows;
  }

  #end(line: string): string[] {
    const rows = texts(this.#rows(line));
    this.#markdown.end(line);
    this.#given = nothingGiven;
    this.#isFirst = false;
    return rows;
  }

  #giveUpTo(count: number): void {
    this.#given = givenUpTo(count, this.#show(this.#line));
  }

  #rows(line: string): PieceRow[] {
    const { count } = this.#given;
    const isRest = count > 0;
    if (isRest && line.slice(count).trim() === "") return [];
    const mark = this.#isFirst && !isRest ? this.#mark() : "  ";
    const columns = this.#columns() - 2;
    const rows = pieceRows(this.#show(line), { columns, isRest, paint: this.#paint });
    return rows.map(({ text, from }, index) => ({
      text: (index === 0 ? mark : "  ") + text,
      from,
    }));
  }

  #show(line: string): ShownLine {
    if (this.#kind === "text") return this.#markdown.show(line, this.#given);
    const { count: start } = this.#given;
    const pieces = [{ text: line.slice(start), start, format: ["dim", "italic"] as const }];
    return { parts: [{ pieces, end: line.length, isWhole: false }], indent: "" };
  }

  #mark(): string {
    return this.#kind === "text" ? `${this.#paint("cyan", "●")} ` : this.#paint("dim", "✻ ");
  }
}

const texts = (rows: readonly PieceRow[]): string[] => rows.map(({ text }) => text);

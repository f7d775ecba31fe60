import { cleanText } from "./clean-text.ts";
import { MarkdownLines } from "./markdown.ts";
import type { Paint } from "./paint.ts";
import { wrap } from "./text-width.ts";

/** Rows that may still change are drawn again with every piece, so there must not be many. */
const MAX_GROWING_ROWS = 4;

export interface Rows {
  readonly finished: readonly string[];
  readonly growing: readonly string[];
}

/** A text of the model, as it arrives in pieces of any size. */
export class RunningText {
  readonly #paint: Paint;
  readonly #kind: "text" | "thinking";
  readonly #columns: () => number;
  readonly #markdown: MarkdownLines;
  #line = "";
  /** Rows of the unfinished line that have been given out. */
  #given = 0;
  #isFirst = true;

  constructor(kind: "text" | "thinking", paint: Paint, columns: () => number) {
    this.#kind = kind;
    this.#paint = paint;
    this.#columns = columns;
    this.#markdown = new MarkdownLines(paint);
  }

  push(piece: string): Rows {
    const lines = (this.#line + cleanText(piece)).split("\n");
    this.#line = lines.pop() ?? "";
    const finished = lines.flatMap((line) => this.#end(line));
    const growing = this.#line === "" ? [] : this.#rows(this.#line, false);
    const ready = Math.max(growing.length - MAX_GROWING_ROWS, this.#given);
    finished.push(...growing.slice(this.#given, ready));
    this.#given = ready;
    return { finished, growing: growing.slice(ready) };
  }

  /** The rest, when no more will come. */
  end(): string[] {
    const rows = this.#line === "" ? [] : this.#end(this.#line);
    this.#line = "";
    return rows;
  }

  #end(line: string): string[] {
    const rows = this.#rows(line, true).slice(this.#given);
    this.#given = 0;
    this.#isFirst = false;
    return rows;
  }

  #rows(line: string, isWhole: boolean): string[] {
    const columns = this.#columns() - 2;
    const mark = this.#isFirst ? this.#mark() : "  ";
    return this.#shown(line, isWhole, columns).map(
      (row, index) => (index === 0 ? mark : "  ") + row,
    );
  }

  #shown(line: string, isWhole: boolean, columns: number): string[] {
    if (this.#kind === "thinking") {
      return wrap(line, columns).map((row) => this.#paint(["dim", "italic"], row));
    }
    const shown = isWhole ? this.#markdown.end(line) : this.#markdown.show(line);
    return wrap(shown.text, columns, shown.indent);
  }

  #mark(): string {
    return this.#kind === "text" ? `${this.#paint("cyan", "●")} ` : this.#paint("dim", "✻ ");
  }
}

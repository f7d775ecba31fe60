import { ESC } from "./escape.ts";
import { textWidth } from "./text-width.ts";

/** What stands below the transcript and is drawn anew with every change. */
export interface Footer {
  readonly rows: readonly string[];
  /** Where the cursor belongs. */
  readonly row: number;
  readonly column: number;
}

/**
 * A terminal whose lower end lives: finished rows scroll up and stay, the row that is growing and the
 * footer are drawn anew. Nothing of the scroll-back is touched, and there is no alternate screen.
 */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  #growing: readonly string[] = [];
  #footer: Footer = { rows: [], row: 0, column: 0 };
  /** Rows from the top of what lives down to the cursor. */
  #cursorRow = 0;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  get columns(): number {
    return Math.max(this.#out.columns || 80, 20);
  }

  get rows(): number {
    return this.#out.rows || 24;
  }

  /** Adds finished rows, and shows those that still grow below them. */
  show(finished: readonly string[], growing: readonly string[]): void {
    this.#growing = growing;
    this.#draw(finished);
  }

  setFooter(footer: Footer): void {
    this.#footer = footer;
    this.#draw([]);
  }

  /** Takes the footer away and leaves the cursor below the transcript. */
  end(): void {
    this.#footer = { rows: [], row: 0, column: 0 };
    const rest = this.#growing;
    this.#growing = [];
    this.#draw(rest);
  }

  /** After Ctrl-L or a change of size: what lives is drawn where the cursor is. */
  clear(): void {
    this.#cursorRow = 0;
    this.#out.write(`${ESC}[2J${ESC}[H`);
    this.#draw([]);
  }

  #draw(finished: readonly string[]): void {
    const { columns } = this;
    const living = [...this.#growing, ...this.#footer.rows].map((row) =>
      textWidth(row) > columns ? row.slice(0, columns) : row,
    );
    const up = this.#cursorRow > 0 ? `${ESC}[${this.#cursorRow}A` : "";
    let text = `${ESC}[?25l\r${up}${ESC}[J`;
    for (const row of finished) text += `${row}\r\n`;
    text += living.join("\r\n");
    const target = this.#growing.length + this.#footer.row;
    const back = Math.max(living.length - 1, 0) - target;
    if (back > 0) text += `${ESC}[${back}A`;
    text += "\r";
    if (this.#footer.column > 0) text += `${ESC}[${this.#footer.column}C`;
    this.#out.write(`${text}${ESC}[?25h`);
    this.#cursorRow = living.length === 0 ? 0 : target;
  }
}

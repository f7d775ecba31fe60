import { ESC } from "./escape.ts";
import { cutRow, textWidth } from "./text-width.ts";

/** What stands below the transcript and is drawn anew with every change. */
export interface Footer {
  readonly rows: readonly string[];
  /** Where the cursor belongs. */
  readonly row: number;
  readonly column: number;
}

/** The rows that live, as the terminal has them. */
interface Drawn {
  readonly rows: readonly string[];
  readonly row: number;
  readonly column: number;
}

/** Clears from this row on. Of a screen that is cleared from its first corner on, tmux would keep a copy. */
const CLEAR_BELOW = `${ESC}[K${ESC}[C${ESC}[J\r`;

const nothing: Drawn = { rows: [], row: 0, column: 0 };

/**
 * A terminal whose lower end lives: finished rows scroll up and stay, the row that is growing and the
 * footer are drawn anew. Nothing of the scroll-back is touched, and there is no alternate screen.
 */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  #growing: readonly string[] = [];
  #footer: Footer = nothing;
  #drawn: Drawn = nothing;

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  get columns(): number {
    return this.#out.columns || 80;
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
    this.#footer = nothing;
    const rest = this.#growing;
    this.#growing = [];
    this.#draw(rest);
  }

  /** After Ctrl-L: what lives is drawn on an empty screen. */
  clear(): void {
    this.#drawn = nothing;
    this.#out.write(`${ESC}[2J${ESC}[H`);
    this.#draw([]);
  }

  #draw(finished: readonly string[]): void {
    const living = this.#living();
    if (finished.length === 0 && isSame(living, this.#drawn)) return;
    const up = this.#rowsToTop();
    let text = `${ESC}[?25l\r${up > 0 ? `${ESC}[${up}A` : ""}${CLEAR_BELOW}`;
    for (const row of finished) text += `${row}\r\n`;
    text += living.rows.join("\r\n");
    const back = Math.max(living.rows.length - 1, 0) - living.row;
    if (back > 0) text += `${ESC}[${back}A`;
    text += "\r";
    if (living.column > 0) text += `${ESC}[${living.column}C`;
    this.#out.write(`${text}${ESC}[?25h`);
    this.#drawn = living;
  }

  /** What has scrolled out of the terminal cannot be drawn anew, so no more may live than it has rows. */
  #living(): Drawn {
    const { columns, rows: room } = this;
    const rows = [...this.#growing, ...this.#footer.rows];
    const cursor = this.#growing.length + this.#footer.row;
    const first = firstShown(rows.length, cursor, room);
    return {
      rows: rows.slice(first, first + room).map((row) => cutRow(row, columns)),
      row: rows.length === 0 ? 0 : cursor - first,
      column: Math.min(this.#footer.column, columns - 1),
    };
  }

  /** A terminal that has become narrower since has broken the rows that were too long for it. */
  #rowsToTop(): number {
    const { columns } = this;
    const { rows, row, column } = this.#drawn;
    const above = rows.slice(0, row).map((each) => Math.ceil(textWidth(each) / columns) || 1);
    return above.reduce((sum, each) => sum + each, Math.floor(column / columns));
  }
}

/** Of `count` rows, where the part of `room` rows begins that is shown: the last ones, or from the cursor on. */
export const firstShown = (count: number, cursor: number, room: number): number =>
  Math.min(Math.max(count - room, 0), cursor);

const isSame = (one: Drawn, other: Drawn): boolean =>
  one.row === other.row &&
  one.column === other.column &&
  one.rows.length === other.rows.length &&
  one.rows.every((row, index) => row === other.rows[index]);

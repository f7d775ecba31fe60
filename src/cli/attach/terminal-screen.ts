import { ESC } from "./escape-character.ts";
import { cutRow, rowsTaken } from "./text-width.ts";

/** What is below the transcript and is redrawn with every change. */
export interface Footer {
  readonly rows: readonly string[];
  /** Where the cursor belongs. */
  readonly row: number;
  readonly column: number;
}

/** The live rows, as the terminal has them. */
interface Drawn {
  readonly rows: readonly string[];
  /** How many of them are growing rows: the last ones. */
  readonly growing: number;
  readonly row: number;
  readonly column: number;
}

/** Clears from this row on. When a screen is cleared from its first corner, tmux keeps a copy of it. */
const CLEAR_BELOW = `${ESC}[K${ESC}[C${ESC}[J\r`;

const nothing: Drawn = { rows: [], growing: 0, row: 0, column: 0 };

/**
 * A terminal whose lower end is live: finished rows scroll up and stay, growing rows and the footer are redrawn. The
 * scroll-back is not touched, and there is no alternate screen.
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

  /** Adds finished rows, and shows growing ones below them. */
  show(finished: readonly string[], growing: readonly string[]): void {
    this.#growing = growing;
    this.#draw(finished);
  }

  /** Adds finished rows above the growing ones. */
  print(finished: readonly string[]): void {
    this.#draw(finished);
  }

  /**
   * After a change of the terminal's size: how many growing rows have scrolled off. They stay in the scroll-back, so
   * they must not be shown again.
   */
  settle(): number {
    const { rows, growing, row, column } = this.#drawn;
    let gone = 0;
    while (gone < row && this.#rowsToTop(gone) >= this.rows) gone += 1;
    // The rows without room come before these in the text.
    const kept = growing === this.#growing.length ? Math.min(gone, growing) : 0;
    this.#drawn = { rows: rows.slice(gone), growing: growing - kept, row: row - gone, column };
    this.#growing = this.#growing.slice(kept);
    return kept;
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

  /** After Ctrl-L: draws the live rows on an empty screen. */
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

  /**
   * What has scrolled off the terminal cannot be redrawn, so there are at most as many live rows as the terminal has.
   */
  #living(): Drawn {
    const { columns, rows: room } = this;
    const rows = [...this.#growing, ...this.#footer.rows];
    const cursor = this.#growing.length + this.#footer.row;
    const first = firstShown(rows.length, cursor, room);
    return {
      rows: rows.slice(first, first + room).map((row) => cutRow(row, columns)),
      growing: Math.max(this.#growing.length - first, 0),
      row: rows.length === 0 ? 0 : cursor - first,
      column: Math.min(this.#footer.column, columns - 1),
    };
  }

  /**
   * Rows of the terminal from the cursor's up to a drawn one. A terminal that has become narrower has wrapped the
   * rows that were too long for it.
   */
  #rowsToTop(first = 0): number {
    const { columns } = this;
    const { rows, row, column } = this.#drawn;
    const above = rows.slice(first, row).map((each) => rowsTaken(each, columns));
    return above.reduce((sum, each) => sum + each, Math.floor(column / columns));
  }
}

/** Where the visible part of `room` rows begins among `count` rows: the last ones, or from the cursor on. */
export const firstShown = (count: number, cursor: number, room: number): number =>
  Math.min(Math.max(count - room, 0), cursor);

const isSame = (one: Drawn, other: Drawn): boolean =>
  one.row === other.row &&
  one.column === other.column &&
  one.rows.length === other.rows.length &&
  one.rows.every((row, index) => row === other.rows[index]);

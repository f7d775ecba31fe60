import { lettersOf, textWidth } from "../../src/cli/attach/text-width.ts";

const ESC = "\u001b";
const part = new RegExp(`${ESC}\\[(\\??[\\d;]*)([A-Za-z])|\r|\n|[^${ESC}\r\n]+`, "gu");

interface Line {
  /** A letter per column; one of two columns leaves the second one empty. */
  cells: string[];
  /** The terminal has broken it; its rest is the next line. */
  goesOn: boolean;
}

/** As much of a terminal as a screen needs. It breaks lines again when its width changes, as most do. */
export class SmallTerminal {
  columns: number;
  rows: number;
  /** From the top of the scroll-back. */
  #lines: Line[] = [emptyLine()];
  /** Where the scroll-back ends. */
  #top = 0;
  #row = 0;
  #column = 0;
  writes = 0;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** Everything, the scroll-back too. */
  get text(): string[] {
    const lines = this.#lines.map(({ cells }) => textOf(cells));
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /** What stands before the cursor in its row. */
  get beforeCursor(): string {
    return this.#line.cells.slice(0, this.#column).join("");
  }

  readonly write = (data: string): boolean => {
    this.writes += 1;
    for (const [whole, number = "", letter = ""] of data.matchAll(part)) {
      if (whole === "\r") this.#column = 0;
      else if (whole === "\n") this.#down();
      else if (letter === "") for (const each of lettersOf(whole)) this.#put(each);
      else this.#obey(letter, number);
    }
    return true;
  };

  resize(columns: number, rows: number): void {
    const [row, column] = [this.#row, this.#column];
    const broken: Line[] = [];
    let next: Line | undefined;
    for (const [index, { cells, goesOn }] of this.#lines.entries()) {
      const line = next ?? emptyLine();
      const start = line.cells.length;
      line.cells.push(...cells);
      if (index === row) {
        const lines = brokenAt(padded(line.cells, start + column), columns);
        let left = start + column;
        let at = 0;
        while (at < lines.length - 1 && left >= (lines[at]?.cells.length ?? 0)) {
          left -= lines[at]?.cells.length ?? 0;
          at += 1;
        }
        this.#row = broken.length + at + Math.floor(left / columns);
        this.#column = left % columns;
      }
      next = goesOn ? line : undefined;
      if (!goesOn) broken.push(...brokenAt(trimmed(line.cells), columns));
    }
    this.#lines = broken;
    // Empty rows below the cursor go first when there is no room for all.
    while (this.#lines.length > this.#row + 1 && this.#lines.at(-1)?.cells.length === 0) {
      this.#lines.pop();
    }
    [this.columns, this.rows] = [columns, rows];
    this.#top = Math.max(this.#lines.length - rows, this.#row - rows + 1, 0);
  }

  get #line(): Line {
    while (this.#lines.length <= this.#row) this.#lines.push(emptyLine());
    return this.#lines[this.#row] as Line;
  }

  #down(): void {
    this.#row += 1;
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
    void this.#line;
  }

  #put(letter: string): void {
    const width = textWidth(letter);
    if (this.#column + width > this.columns) {
      this.#line.goesOn = true;
      this.#down();
      this.#column = 0;
    }
    const { cells } = this.#line;
    while (cells.length < this.#column) cells.push(" ");
    if (width === 0) cells[this.#column - 1] += letter;
    else cells.splice(this.#column, width, letter, ...Array<string>(width - 1).fill(""));
    this.#column += width;
  }

  #obey(letter: string, number: string): void {
    const count = Number(number || 1);
    if (letter === "A") this.#row = Math.max(this.#row - count, this.#top);
    else if (letter === "C") this.#column = Math.min(this.#column + count, this.columns - 1);
    else if (letter === "H") [this.#row, this.#column] = [this.#top, 0];
    else if (letter === "J" && number === "2") this.#lines.splice(this.#top);
    else if (letter === "K") this.#line.cells.splice(this.#column);
    else if (letter === "J") {
      // As tmux does: of a whole screen it keeps a copy.
      if (this.#row === this.#top && this.#column === 0) this.#row = this.#top = this.#lines.length;
      this.#lines.splice(this.#row + 1);
      this.#line.cells.splice(this.#column);
      this.#line.goesOn = false;
    }
  }
}

const emptyLine = (): Line => ({ cells: [], goesOn: false });

const textOf = (cells: readonly string[]): string => cells.join("").trimEnd();

const padded = (cells: readonly string[], length: number): string[] => [
  ...cells,
  ...Array<string>(Math.max(length - cells.length, 0)).fill(" "),
];

/** Without the spaces at its end. */
function trimmed(cells: readonly string[]): string[] {
  const last = cells.findLastIndex((cell) => cell.trim() !== "");
  return cells.slice(0, last < 0 ? 0 : last + Math.max(textWidth(cells[last] ?? ""), 1));
}

function brokenAt(cells: readonly string[], columns: number): Line[] {
  const lines: Line[] = [emptyLine()];
  for (let at = 0; at < cells.length; at += 1) {
    const isWide = cells[at + 1] === "";
    const line = lines.at(-1) as Line;
    if (line.cells.length + (isWide ? 2 : 1) > columns && cells[at] !== "") {
      line.goesOn = true;
      lines.push(emptyLine());
    }
    lines.at(-1)?.cells.push(cells[at] ?? "");
  }
  return lines;
}

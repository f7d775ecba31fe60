import { lettersOf, textWidth } from "../../src/cli/attach/text-width.ts";

const ESC = "\u001b";
const part = new RegExp(`${ESC}\\[(\\??[\\d;]*)([A-Za-z])|\r|\n|[^${ESC}\r\n]`, "gu");

interface Line {
  text: string;
  /** The terminal has broken it; its rest is the next line. */
  goesOn: boolean;
}

/** As much of a terminal as a screen needs. It breaks lines anew when it becomes narrower, as most do. */
export class SmallTerminal {
  columns: number;
  rows: number;
  /** From the top of the scroll-back. */
  #lines: Line[] = [{ text: "", goesOn: false }];
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
    const lines = this.#lines.map(({ text }) => text.trimEnd());
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /** What stands before the cursor in its row. */
  get beforeCursor(): string {
    return this.#line.text.slice(0, this.#column);
  }

  readonly write = (data: string): boolean => {
    this.writes += 1;
    for (const [whole, number = "", letter = ""] of data.matchAll(part)) {
      if (whole === "\r") this.#column = 0;
      else if (whole === "\n") this.#down();
      else if (letter === "") this.#put(whole);
      else this.#obey(letter, number);
    }
    return true;
  };

  resize(columns: number, rows: number): void {
    const column = this.#column;
    const row = this.#row;
    const broken: Line[] = [];
    let next: Line | undefined;
    for (const [index, { text, goesOn }] of this.#lines.entries()) {
      const line = next ?? { text: "", goesOn: false };
      const start = line.text.length;
      line.text += text;
      if (index === row) {
        this.#row = broken.length + Math.floor((start + column) / columns);
        this.#column = (start + column) % columns;
      }
      next = goesOn ? line : undefined;
      if (!goesOn) broken.push(...breakAt(line.text, columns));
    }
    this.#lines = broken;
    [this.columns, this.rows] = [columns, rows];
    this.#top = Math.max(broken.length - rows, 0);
  }

  get #line(): Line {
    this.#lines[this.#row] ??= { text: "", goesOn: false };
    return this.#lines[this.#row] as Line;
  }

  #down(): void {
    this.#row += 1;
    this.#top = Math.max(this.#top, this.#row - this.rows + 1);
    void this.#line;
  }

  #put(letter: string): void {
    if (this.#column + textWidth(letter) > this.columns) {
      this.#line.goesOn = true;
      this.#down();
      this.#column = 0;
    }
    const before = this.#line.text.padEnd(this.#column).slice(0, this.#column);
    this.#line.text = before + letter + this.#line.text.slice(this.#column + 1);
    this.#column += lettersOf(letter).length;
  }

  #obey(letter: string, number: string): void {
    const count = Number(number || 1);
    if (letter === "A") this.#row = Math.max(this.#row - count, this.#top);
    else if (letter === "C") this.#column = Math.min(this.#column + count, this.columns - 1);
    else if (letter === "H") [this.#row, this.#column] = [this.#top, 0];
    else if (letter === "J" && number === "2") this.#lines.splice(this.#top);
    else if (letter === "K") this.#line.text = this.#line.text.slice(0, this.#column);
    else if (letter === "J") {
      // As tmux does: of a whole screen it keeps a copy.
      if (this.#row === this.#top && this.#column === 0) this.#row = this.#top = this.#lines.length;
      this.#lines.splice(this.#row + 1);
      this.#line.text = this.#line.text.slice(0, this.#column);
      this.#line.goesOn = false;
    }
  }
}

function breakAt(text: string, columns: number): Line[] {
  const pieces = text.trimEnd().match(new RegExp(`.{1,${columns}}`, "gu")) ?? [""];
  return pieces.map((piece, index) => ({ text: piece, goesOn: index < pieces.length - 1 }));
}

import type { Paint } from "./paint.ts";

/** A line as it is to be shown, and what stands before its later rows when it has to be broken. */
export interface ShownLine {
  readonly text: string;
  readonly indent: string;
}

/**
 * Markdown, line by line, as it arrives. It stays readable as text: only what a terminal can show better
 * is replaced. `show` may be asked for a line that is still growing; `end` is told when it is complete.
 */
export class MarkdownLines {
  readonly #paint: Paint;
  #fence: string | undefined;

  constructor(paint: Paint) {
    this.#paint = paint;
  }

  end(line: string): ShownLine {
    const shown = this.show(line);
    const fence = fenceOf(line);
    if (this.#fence === undefined) this.#fence = fence;
    else if (fence?.startsWith(this.#fence) && line.trim() === fence) this.#fence = undefined;
    return shown;
  }

  show(line: string): ShownLine {
    if (fenceOf(line) !== undefined) return { text: this.#paint("dim", line), indent: "" };
    if (this.#fence !== undefined) return { text: this.#paint("cyan", line), indent: "" };
    const heading = /^(#{1,6}) +(.*)$/.exec(line);
    if (heading) return { text: this.#paint(["bold", "underline"], heading[2] ?? ""), indent: "" };
    if (/^\s*(?:[-*_] *){3,}$/.test(line)) return { text: this.#paint("dim", line), indent: "" };
    const item = /^(\s*)([-*+]|\d+[.)]) +(.*)$/.exec(line);
    if (item) return this.#item(item[1] ?? "", item[2] ?? "", item[3] ?? "");
    const quote = /^(>+) ?(.*)$/.exec(line);
    if (quote) return { text: this.#paint("dim", `│ ${quote[2]}`), indent: "│ " };
    return { text: this.#spans(line), indent: "" };
  }

  #item(space: string, mark: string, text: string): ShownLine {
    const bullet = /\d/.test(mark) ? mark : "•";
    const checked = text.replace(/^\[[xX]\] /, "☑ ").replace(/^\[ \] /, "☐ ");
    const indent = " ".repeat(space.length + bullet.length + 1);
    return { text: `${space}${this.#paint("dim", bullet)} ${this.#spans(checked)}`, indent };
  }

  /** Code is shown as it stands, so it is set apart first. */
  #spans(line: string): string {
    return line
      .split(/(`[^`]+`)/)
      .map((part, index) =>
        index % 2 ? this.#paint("cyan", part.slice(1, -1)) : this.#words(part),
      )
      .join("");
  }

  #words(text: string): string {
    return text
      .replaceAll(/\*\*(\S(?:[^*]*\S)?)\*\*/g, (_, words: string) => this.#paint("bold", words))
      .replaceAll(/(?<![\w*])\*(\S(?:[^*]*\S)?)\*(?![\w*])/g, (_, words: string) =>
        this.#paint("italic", words),
      )
      .replaceAll(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words: string, link: string) =>
        words === link ? link : `${words} ${this.#paint("dim", `(${link})`)}`,
      );
  }
}

const fenceOf = (line: string): string | undefined => /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];

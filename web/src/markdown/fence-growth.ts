import { type FenceBlock, addText } from "./blocks.ts";
import type { Growth, Source, Step } from "./growth.ts";
import { parse } from "./parse.ts";

const STEP_CHARS = 262_144;
const opening = /^(`{3,}|~{3,})([^\n]*)\n/;
const HEAD_CHARS = 1_000;

/** A block of code whose lines are appended, and never parsed. */
export class FenceGrowth implements Growth {
  readonly rest = "";
  readonly #language: string | undefined;
  readonly #close: RegExp;
  readonly #mark: string;
  #texts: readonly string[] = [];
  #at: number;
  /** The line that began at #lineStart has been shown in part. */
  #inLine = false;
  /** The end of the last line waits for the next line: the last line of a code has none. */
  #lineEnd = "";
  #open = "";

  private constructor(mark: string, language: string | undefined, at: number) {
    this.#language = language;
    this.#mark = mark;
    this.#close = new RegExp(`^ {0,3}${mark[0]}{${mark.length},}[ \\t]*$`);
    this.#at = at;
  }

  /** For a text that begins with a whole line that opens a fence at the margin. Others are left to the parser. */
  static at(source: Source): FenceGrowth | undefined {
    const [head, mark = "", info = ""] = opening.exec(source.text.slice(0, HEAD_CHARS)) ?? [];
    if (head === undefined || (mark.startsWith("`") && info.includes("`"))) return undefined;
    return new FenceGrowth(mark, languageOf(head), head.length);
  }

  get node(): FenceBlock {
    const texts =
      this.#open === "" ? this.#texts : addText(this.#texts, this.#lineEnd + this.#open);
    return { type: "fence", language: this.#language, texts };
  }

  grow({ text, lines, ended }: Source): Step {
    const most = Math.min(lines, this.#at + STEP_CHARS);
    let taken = "";
    this.#open = "";
    while (this.#at < most) {
      const end = text.indexOf("\n", this.#at);
      const next = end < 0 ? text.length : end;
      const line = text.slice(this.#at, next);
      if (!this.#inLine && this.#close.test(line)) {
        this.#add(taken);
        return { is: "ended", at: Math.min(text.length, next + 1) };
      }
      taken += (this.#inLine ? "" : this.#lineEnd) + line;
      this.#lineEnd = end < 0 ? "" : "\n";
      this.#inLine = false;
      this.#at = next + 1;
    }
    this.#add(taken);
    if (this.#at < lines) return { is: "more" };
    if (ended) return { is: "ended", at: text.length };
    this.#takeUnfinished(text.slice(this.#at));
    return { is: "waits" };
  }

  #add(taken: string): void {
    this.#texts = taken === "" ? this.#texts : addText(this.#texts, taken);
  }

  /** A line that is not complete is shown, unless it may become the end of the fence. */
  #takeUnfinished(line: string): void {
    const marks = line.trimStart();
    const mayClose = !this.#inLine && line.length < 100 && /^(?:`*|~*)[ \t]*$/.test(marks);
    if (mayClose && (marks === "" || marks[0] === this.#mark[0])) return;
    if (line.length <= 4_096) {
      this.#open = line;
      return;
    }
    // A line without an end: what is shown of it is final.
    this.#add((this.#inLine ? "" : this.#lineEnd) + line);
    this.#inLine = true;
    this.#lineEnd = "";
    this.#at += line.length;
  }
}

/** The first word after the mark, read as the parser does. */
function languageOf(head: string): string | undefined {
  const node = parse(head).children[0];
  return node?.type === "code" ? (node.lang ?? undefined) : undefined;
}

import { type Span, spansOf } from "./terminal-spans.ts";
import { withoutCommands } from "./terminal-escapes.ts";

/** What is kept: the newest 64 KB, in which a coloured piece counts as 16 characters more. */
const MAX_SIZE = 65_536;
const SPAN_SIZE = 16;
const GROUP_LINES = 50;
const GROUP_SIZE = 4_096;
const MAX_LINE = 8_192;
const MAX_CARRIED = 20;

/** Lines that do not change any more. */
export interface LineGroup {
  readonly key: number;
  readonly spans: readonly Span[];
  readonly size: number;
}

/** The output of a command as a terminal would show it. Appending costs what is appended, and the line that is open. */
export class TerminalOutput {
  #groups: readonly LineGroup[] = [];
  #key = 0;
  #spans: Span[] = [];
  #lines = 0;
  #size = 0;
  #line = "";
  #held = "";
  /** The colours that the open line begins with. */
  #carried = "";
  isCut = false;

  get groups(): readonly LineGroup[] {
    return this.#groups;
  }

  /** What follows the groups, and may change. */
  get open(): readonly Span[] {
    return [...this.#spans, ...spansOf(this.#carried + this.#line)];
  }

  append(more: string): void {
    const newest = more.slice(-MAX_SIZE);
    if (newest.length < more.length) this.#forget();
    const { text, held } = withoutCommands(this.#held + newest);
    this.#held = held.length > MAX_LINE ? "" : held;
    const lines = text.replaceAll("\r\n", "\n").split("\n");
    for (const [index, line] of lines.entries()) {
      this.#line += line;
      if (index < lines.length - 1) this.#endLine("\n");
    }
    if (this.#line.length > MAX_LINE) this.#shortenLine();
  }

  /** A bar of progress writes over itself for ever: what it has written before is not kept. */
  #shortenLine(): void {
    const last = this.#line.lastIndexOf("\r", this.#line.length - 2);
    if (last <= 0) {
      this.#endLine("");
      return;
    }
    this.#carry(this.#line.slice(0, last));
    this.#line = this.#line.slice(last);
  }

  #endLine(end: string): void {
    const spans = spansOf(this.#carried + this.#line);
    this.#carry(this.#line);
    this.#line = "";
    if (end !== "") spans.push({ text: end });
    for (const span of spans) this.#add(span);
    this.#lines++;
    if (this.#lines >= GROUP_LINES || this.#size >= GROUP_SIZE) this.#endGroup();
  }

  /** Pieces without a colour become one. */
  #add(span: Span): void {
    const before = this.#spans.at(-1);
    this.#size += span.text.length;
    if (before !== undefined && isBare(before) && isBare(span)) {
      this.#spans[this.#spans.length - 1] = { text: before.text + span.text };
      return;
    }
    this.#spans.push(span);
    if (!isBare(span)) this.#size += SPAN_SIZE;
  }

  #endGroup(): void {
    const groups = [...this.#groups, { key: this.#key++, spans: this.#spans, size: this.#size }];
    this.#spans = [];
    this.#size = 0;
    this.#lines = 0;
    let size = groups.reduce((sum, group) => sum + group.size, 0);
    while (size > MAX_SIZE && groups.length > 1) {
      size -= groups.shift()?.size ?? 0;
      this.isCut = true;
    }
    this.#groups = groups;
  }

  /** The colours after a text: all that were set since the last reset. */
  #carry(text: string): void {
    const set = (this.#carried + text).match(colours) ?? [];
    const reset = set.findLastIndex((mark) => resets.has(mark));
    this.#carried = set
      .slice(reset + 1)
      .slice(-MAX_CARRIED)
      .join("");
  }

  #forget(): void {
    this.#groups = [];
    this.#spans = [];
    this.#size = 0;
    this.#lines = 0;
    this.#line = "";
    this.#held = "";
    this.#carried = "";
    this.isCut = true;
  }
}

const esc = "\u{1b}";
const colours = new RegExp(`${esc}\\[[\\d;]*m`, "gu");
const resets = new Set([`${esc}[0m`, `${esc}[m`]);
const isBare = (span: Span): boolean =>
  span.colour === undefined && span.ground === undefined && span.decorations === undefined;

import type { Ink } from "./terminal-formats.ts";

/**
 * A displayed part of a line. Its letters correspond one to one to those of the source from `start` on, so that what
 * was displayed can be counted in characters of the source.
 */
export interface Piece {
  readonly text: string;
  readonly start: number;
  readonly format: readonly Ink[];
}

/** Pieces that belong together, such as a bold part with its link, and where the source continues after them. */
export interface Part {
  readonly pieces: readonly Piece[];
  readonly end: number;
  /** Its beginning decides how its rest is displayed, also when the beginning was printed before. */
  readonly isWhole: boolean;
}

/** A line for display, and what precedes its later rows when it is wrapped. */
export interface ShownLine {
  readonly parts: readonly Part[];
  readonly indent: string;
}

/** The printed part of a line, and what it decides about the rest. */
export interface PrintedPart {
  /** Characters of the source. */
  readonly count: number;
  /** The rest of the part in which it ends. */
  readonly cut: Part | undefined;
}

export const nothingGiven: PrintedPart = { count: 0, cut: undefined };

/**
 * Markdown, line by line, as it arrives. It stays readable as text: only what a terminal can display better is
 * replaced. `show` may be called for a line that is still growing; `end` when it is complete.
 */
export class MarkdownLines {
  #fence: string | undefined;

  end(line: string): void {
    const fence = fenceOf(line);
    if (this.#fence === undefined) this.#fence = fence;
    else if (fence?.startsWith(this.#fence) && line.trim() === fence) this.#fence = undefined;
  }

  /** The line without its printed part. */
  show(line: string, given: PrintedPart = nothingGiven): ShownLine {
    const { lead, body, indent, format } = this.#form(line);
    const from = Math.max(given.cut?.end ?? given.count, body);
    const parts =
      format === undefined
        ? partsOf(line, from, line.length)
        : [plainPart(line, from, line.length, format)];
    return { parts: [...clipped(lead, given.count), ...cutOf(given, body), ...parts], indent };
  }

  #form(line: string): Form {
    const lead: Part[] = [];
    if (fenceOf(line) !== undefined) return { lead, body: 0, indent: "", format: ["dim"] };
    if (this.#fence !== undefined) return { lead, body: 0, indent: "", format: ["cyan"] };
    const heading = /^#{1,6} +/.exec(line)?.[0];
    if (heading !== undefined) {
      return { lead, body: heading.length, indent: "", format: ["bold", "underline"] };
    }
    const isRule = /^\s*(?:[-*_] *){3,}$/.test(line);
    if (isRule) return { lead, body: 0, indent: "", format: ["dim"] };
    const item = /^(\s*)([-*+]|\d+[.)])( +)(\[[ xX]\] )?/.exec(line);
    if (item) return itemForm(item);
    const quote = /^>+ ?/.exec(line)?.[0];
    if (quote === undefined) return { lead, body: 0, indent: "", format: undefined };
    const bar = part([{ text: "│ ", start: 0, format: ["dim"] }]);
    return { lead: [bar], body: quote.length, indent: "│ ", format: ["dim"] };
  }
}

interface Form {
  readonly lead: readonly Part[];
  /** Where the text after the line's markers begins. */
  readonly body: number;
  readonly indent: string;
  /** The format of the whole text; undefined: Markdown within it counts. */
  readonly format: readonly Ink[] | undefined;
}

function itemForm([whole, space = "", mark = "", gap = "", box]: RegExpExecArray): Form {
  const bullet = /\d/.test(mark) ? mark : "•";
  const lead = part([
    { text: space, start: 0, format: [] },
    { text: bullet, start: space.length, format: ["dim"] },
    { text: " ", start: space.length + mark.length, format: [] },
  ]);
  const checked = { x: "☑ ", X: "☑ ", " ": "☐ " }[box?.[1] ?? ""];
  const boxStart = space.length + mark.length + gap.length;
  const boxPart = checked && part([{ text: checked, start: boxStart, format: [] }]);
  return {
    lead: boxPart ? [lead, boxPart] : [lead],
    body: whole.length,
    indent: " ".repeat(space.length + bullet.length + 1),
    format: undefined,
  };
}

const part = (pieces: readonly Piece[]): Part => {
  const last = pieces.at(-1);
  return { pieces, end: (last?.start ?? 0) + (last?.text.length ?? 0), isWhole: true };
};

const plainPart = (line: string, start: number, end: number, format: readonly Ink[]): Part => ({
  pieces: [{ text: line.slice(start, end), start, format }],
  end,
  isWhole: false,
});

const marked =
  /`([^`]+)`|\*\*(\S(?:[^*`]*\S)?)\*\*|(?<![\w*])\*(\S(?:[^*`]*\S)?)\*(?![\w*])|\[([^\]`]+)\]\(([^)\s`]+)\)/g;

/** Text from `start` on, with its inline markup. The rules see what is before it, but it is not displayed. */
function partsOf(line: string, start: number, end: number, format: readonly Ink[] = []): Part[] {
  const parts: Part[] = [];
  const rules = new RegExp(marked);
  const seen = line.slice(0, end);
  let at = start;
  rules.lastIndex = start;
  for (let found = rules.exec(seen); found; found = rules.exec(seen)) {
    if (found.index > at) parts.push(plainPart(line, at, found.index, format));
    at = rules.lastIndex;
    const pieces = markedPieces(line, found, format);
    parts.push({ pieces, end: at, isWhole: true });
  }
  if (end > at) parts.push(plainPart(line, at, end, format));
  return parts;
}

function markedPieces(line: string, found: RegExpExecArray, format: readonly Ink[]): Piece[] {
  const [, code, bold, italic, words, link] = found;
  const { index } = found;
  // Code is displayed as it is.
  if (code !== undefined) return [{ text: code, start: index + 1, format: [...format, "cyan"] }];
  const inner = (from: number, text: string, more: readonly Ink[]): Piece[] =>
    partsOf(line, from, from + text.length, [...format, ...more]).flatMap(({ pieces }) => pieces);
  if (bold !== undefined) return inner(index + 2, bold, ["bold"]);
  if (italic !== undefined) return inner(index + 1, italic, ["italic"]);
  const shown = inner(index + 1, words ?? "", []);
  if (words === link) return shown;
  const start = index + 1 + (words ?? "").length;
  return [
    ...shown,
    { text: " ", start, format },
    { text: `(${link ?? ""})`, start: start + 1, format: [...format, "dim"] },
  ];
}

const cutOf = ({ cut, count }: PrintedPart, body: number): Part[] =>
  cut && cut.end > body ? clipped([cut], count) : [];

function clipped(parts: readonly Part[], from: number): Part[] {
  return parts.map((each) => ({
    ...each,
    pieces: each.pieces.map(({ text, start, format }) => {
      const skipped = Math.max(from - start, 0);
      return { text: text.slice(skipped), start: start + Math.min(skipped, text.length), format };
    }),
  }));
}

/** The printed part when the line was displayed up to a character of its source. */
export function givenUpTo(count: number, { parts }: ShownLine): PrintedPart {
  const inside = parts.find(({ pieces, end }) => {
    const first = pieces.find(({ text }) => text !== "");
    return first !== undefined && first.start <= count && count < end;
  });
  return { count, cut: inside?.isWhole ? inside : undefined };
}

const fenceOf = (line: string): string | undefined => /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];

import { stripVTControlCharacters } from "node:util";
import { ESC } from "./escape-character.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const narrow = /^[\u0020-\u007e]*$/;
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;
const colour = new RegExp(`(${ESC}\\[[\\d;]*m)`);
const empty = /^(?:\p{Mn}|\p{Me}|\p{Cf}|\ufe0f)+$/u;

/** Columns of a text on a terminal, without colours. */
export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (narrow.test(plain)) return plain.length;
  let width = 0;
  for (const letter of lettersOf(plain)) width += segmentWidth(letter);
  return width;
}

/** What a person sees as one letter, however many characters it has. */
export const lettersOf = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment);

function segmentWidth(segment: string): number {
  if (empty.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}

/** A part of a text, by the places of its characters. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Columns that stand before a text in its first row, and in the later ones. */
export interface Margins {
  readonly first: number;
  readonly later: number;
}

/**
 * The rows of at most `columns` columns, broken between words where possible. The space at the end of a row belongs
 * to no row.
 */
export function rowSpans(text: string, columns: number, { first, later }: Margins): Span[] {
  const spans: Span[] = [];
  let [start, at, width] = [0, 0, first];
  const endRow = (): void => {
    spans.push({ start, end: start + text.slice(start, at).trimEnd().length });
    [start, width] = [at, later];
  };
  for (const word of text.split(/(?<=\s)(?=\S)/)) {
    if (at > start && width + textWidth(word.trimEnd()) > columns) endRow();
    for (const unit of unitsOf(word)) {
      const unitWidth = unit.startsWith(ESC) ? 0 : segmentWidth(unit);
      if (at > start && width + unitWidth > columns && unit.trim() !== "") endRow();
      at += unit.length;
      width += unitWidth;
    }
  }
  endRow();
  return spans;
}

/** Letters, and between them colour codes, which have no width and are not cut. */
const unitsOf = (text: string): string[] =>
  text.split(colour).flatMap((part) => (part.startsWith(ESC) ? [part] : lettersOf(part)));

/** Rows of at most `columns`, broken as `rowSpans` does it; `margin` begins the later ones. */
export function wrap(text: string, columns: number, margin = ""): string[] {
  const indent = fittingMargin(margin, columns);
  const spans = rowSpans(text, columns, { first: 0, later: textWidth(indent) });
  return spans.map(({ start, end }, index) => (index > 0 ? indent : "") + text.slice(start, end));
}

/** A margin that leaves no room for the text would loop for ever. */
export const fittingMargin = (margin: string, columns: number): string =>
  textWidth(margin) * 2 > columns ? "" : margin;

/** How many rows of a terminal a row takes that was written when the terminal was wider. */
export function rowsTaken(row: string, columns: number): number {
  let [rows, width] = [1, 0];
  for (const letter of lettersOf(stripVTControlCharacters(row))) {
    const letterWidth = segmentWidth(letter);
    if (width + letterWidth > columns) [rows, width] = [rows + 1, 0];
    width += letterWidth;
  }
  return rows;
}

/** As much of the beginning as fits, at least one letter. */
function headOf(text: string, columns: number): string {
  let head = "";
  let width = 0;
  for (const unit of unitsOf(text)) {
    const unitWidth = unit.startsWith(ESC) ? 0 : segmentWidth(unit);
    if (width + unitWidth > columns && head !== "") break;
    head += unit;
    width += unitWidth;
  }
  return head;
}

/** The beginning that fits into a row. It ends in the colours in which the whole ends. */
export function cutRow(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const head = headOf(text, columns);
  const colours = text.slice(head.length).split(colour);
  return head + colours.filter((part) => part.startsWith(ESC)).join("");
}

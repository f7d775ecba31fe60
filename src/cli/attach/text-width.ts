import { stripVTControlCharacters } from "node:util";
import { ESC } from "./escape.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const narrow = /^[\u0020-\u007e]*$/;
const wide =
  /^(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;
const colourOrCharacter = new RegExp(`${ESC}\\[[\\d;]*m|[^${ESC}]`, "gu");
const empty = /^(?:\p{Mn}|\p{Me}|\p{Cf}|\ufe0f)+$/u;

/** Columns that a text takes on a terminal, colours not counted. */
export function textWidth(text: string): number {
  const plain = stripVTControlCharacters(text);
  if (narrow.test(plain)) return plain.length;
  let width = 0;
  for (const letter of lettersOf(plain)) width += segmentWidth(letter);
  return width;
}

/** What a person takes for one letter, however many characters it is made of. */
export const lettersOf = (text: string): string[] =>
  Array.from(graphemes.segment(text), ({ segment }) => segment);

function segmentWidth(segment: string): number {
  if (empty.test(segment)) return 0;
  return wide.test(segment) ? 2 : 1;
}

/** Rows of at most `columns`, broken between words where there is room for that; `margin` begins the later ones. */
export function wrap(text: string, columns: number, margin = ""): string[] {
  // A margin that leaves no room for the text would never come to its end.
  const indent = textWidth(margin) * 2 > columns ? "" : margin;
  const rows: string[] = [];
  let row = "";
  for (const word of text.split(/(?<=\s)(?=\S)/)) {
    if (row !== indent && row !== "" && textWidth(row + word.trimEnd()) > columns) {
      rows.push(row.trimEnd());
      row = indent;
    }
    row += word;
    while (textWidth(row) > columns && textWidth(row.trimEnd()) > columns) {
      const head = headOf(row, columns);
      rows.push(head);
      row = indent + row.slice(head.length);
    }
  }
  rows.push(row);
  return rows;
}

/** As much of the beginning as fits, at least one character. Colour codes take no room and are not cut. */
function headOf(text: string, columns: number): string {
  let head = "";
  let width = 0;
  for (const [part] of text.matchAll(colourOrCharacter)) {
    const partWidth = part.startsWith(ESC) ? 0 : segmentWidth(part);
    if (width + partWidth > columns && head !== "") break;
    head += part;
    width += partWidth;
  }
  return head;
}

/** The beginning, where a row has no room for more. It ends in the colours in which the whole ends. */
export function cutRow(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  const head = headOf(text, columns);
  const colours = text.slice(head.length).match(colourOrCharacter) ?? [];
  return head + colours.filter((part) => part.startsWith(ESC)).join("");
}

import type { Part, Piece, ShownLine } from "./paint-markdown.ts";
import type { Paint } from "./terminal-formats.ts";
import type { Span } from "./text-width.ts";
import { fittingMargin, rowSpans, textWidth } from "./text-width.ts";

/** A row of a line, and the character of the line's source at which it begins. */
export interface PieceRow {
  readonly text: string;
  readonly from: number;
}

/** Wraps a line into rows. `isRest`: the line began in earlier rows, so all of these are later ones. */
export function pieceRows(
  { parts, indent }: ShownLine,
  { columns, isRest, paint }: { columns: number; isRest: boolean; paint: Paint },
): PieceRow[] {
  const pieces = parts.flatMap((part: Part) => part.pieces).filter(({ text }) => text !== "");
  const plain = pieces.map(({ text }) => text).join("");
  const margin = fittingMargin(indent, columns);
  const later = textWidth(margin);
  const spans = rowSpans(plain, columns, { first: isRest ? later : 0, later });
  return spans.map((span, index) => ({
    text: (index > 0 || isRest ? margin : "") + painted(pieces, span, paint),
    from: sourceOf(pieces, span.start),
  }));
}

function painted(pieces: readonly Piece[], { start, end }: Span, paint: Paint): string {
  let at = 0;
  const shown = pieces.map(({ text, format }) => {
    const part = text.slice(Math.max(start - at, 0), Math.max(end - at, 0));
    at += text.length;
    return part === "" || format.length === 0 ? part : paint([...format], part);
  });
  return shown.join("");
}

/** The source character at a position of the displayed text. */
function sourceOf(pieces: readonly Piece[], place: number): number {
  let at = 0;
  for (const { text, start } of pieces) {
    if (place < at + text.length) return start + place - at;
    at += text.length;
  }
  return pieces.at(-1)?.start ?? 0;
}

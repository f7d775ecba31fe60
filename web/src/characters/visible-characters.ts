export type VisiblePart =
  | { readonly is: "text"; readonly text: string }
  /** Characters that are not seen, or that change how others are seen. `name` is their code point, such as U+202E. */
  | { readonly is: "hidden"; readonly name: string; readonly text: string };

/**
 * Control characters but tab and line feed; all that draws nothing (directions, zero widths, tags, soft hyphen, fillers,
 * variation selectors but those of pictures); separators of lines and paragraphs, the empty pattern of Braille, private
 * characters, halves of characters, and what no character may be.
 */
const hidden =
  /(?!\t|\n|\u{fe0e}|\u{fe0f})[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\u{2028}\u{2029}\u{2800}\u{fff9}-\u{fffb}]/u;
/** More than eight marks on one letter cover the lines above it. */
const piled = /(?<=\p{M}{8})\p{M}+/u;
const all = new RegExp(`${hidden.source}|${piled.source}`, "gu");
/** Joins pictures, as in a family, and decides the form of letters in some scripts; elsewhere it is not seen. */
const joiner = "\u{200d}";
/** Persian and other languages write it between letters. */
const nonJoiner = "\u{200c}";
const shapedLetters =
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]$/u;
const joined = /[\p{Extended_Pictographic}\u{fe0f}\p{Emoji_Modifier}]$/u;

export const hasHidden = (text: string): boolean =>
  visibleParts(text).some(({ is }) => is === "hidden");

/** Cuts a text into what is seen and what is not, so that the second can be shown by its code point. */
export function visibleParts(text: string): VisiblePart[] {
  const parts: VisiblePart[] = [];
  let at = 0;
  for (const found of text.matchAll(all)) {
    const [mark] = found;
    if (mark === joiner && joinsPictures(text, found.index)) continue;
    if ((mark === joiner || mark === nonJoiner) && shapesLetters(text, found.index)) continue;
    if (found.index > at) parts.push({ is: "text", text: text.slice(at, found.index) });
    parts.push({ is: "hidden", name: nameOf(mark), text: mark });
    at = found.index + mark.length;
  }
  if (at < text.length) parts.push({ is: "text", text: text.slice(at) });
  return parts;
}

/** The same as one text, for places that take no elements: a hidden character stands there as [U+202E]. */
export const visibleString = (text: string): string =>
  visibleParts(text)
    .map((part) => (part.is === "text" ? part.text : `[${part.name}]`))
    .join("");

const joinsPictures = (text: string, at: number): boolean =>
  joined.test(text.slice(Math.max(0, at - 4), at)) &&
  /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3));

/** Between two letters of a script in which a joiner changes their form. */
const shapesLetters = (text: string, at: number): boolean =>
  shapedLetters.test(text.charAt(at - 1)) && shapedLetters.test(text.charAt(at + 1));

function nameOf(mark: string): string {
  const [first = ""] = mark;
  const code = (first.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  const count = Array.from(mark).length;
  return count === 1 ? `U+${code}` : `U+${code} … ×${count}`;
}

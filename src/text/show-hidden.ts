/**
 * Control characters but tab and line feed; all that draws nothing or turns the order of letters (directions, zero widths,
 * tags, soft hyphen, fillers); separators of lines and paragraphs, the empty pattern of Braille, private characters, halves
 * of characters, and what no character may be. Pictures keep their joiners and selectors.
 */
const hidden =
  /(?!\t|\n|\u{fe0e}|\u{fe0f})[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\u{2028}\u{2029}\u{2800}\u{fff9}-\u{fffb}]/gu;
const JOINER = "\u{200d}";
const isPicture = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\u{fe0f}/u;

/** The same text, with every character that a person would not see as its code point, such as `[U+202E]`. */
export const showHidden = (text: string): string =>
  text
    .replaceAll("\r\n", "\n")
    .replaceAll(hidden, (mark, at: number, whole: string) =>
      mark === JOINER && joinsPictures(whole, at) ? mark : `[U+${codeOf(mark)}]`,
    );

const joinsPictures = (text: string, at: number): boolean =>
  isPicture.test(text.slice(Math.max(0, at - 2), at)) &&
  /^\p{Extended_Pictographic}/u.test(text.slice(at + 1, at + 3));

const codeOf = (mark: string): string =>
  (mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");

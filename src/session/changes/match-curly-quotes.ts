const CURLY_DOUBLE = /[\u201c\u201d]/;
const CURLY_SINGLE = /[\u2018\u2019]/;
/** What stands before a quote that opens; so does the beginning of a text. */
const OPENS_AFTER = /[\s([{\u2013\u2014]/;
const LETTER = /\p{L}/u;

/** Straight quotes in place of curly ones: a model writes them so, and Claude Code accepts that. */
export const straighten = (text: string): string =>
  text.replaceAll(/[\u2018\u2019]/g, "'").replaceAll(/[\u201c\u201d]/g, '"');

/** A new text with the kinds of quotes that the replaced text has, as Claude Code writes it. */
export function curlAs(replaced: string, text: string): string {
  const doubled = CURLY_DOUBLE.test(replaced) ? curlDouble(text) : text;
  return CURLY_SINGLE.test(replaced) ? curlSingle(doubled) : doubled;
}

const opens = (text: string, at: number): boolean =>
  at === 0 || OPENS_AFTER.test(text[at - 1] ?? "");

const curlDouble = (text: string): string =>
  text.replaceAll('"', (_, at: number) => (opens(text, at) ? "\u201c" : "\u201d"));

const curlSingle = (text: string): string =>
  text.replaceAll("'", (_, at: number) => {
    const isInWord = LETTER.test(text[at - 1] ?? "") && LETTER.test(text[at + 1] ?? "");
    return opens(text, at) && !isInWord ? "\u2018" : "\u2019";
  });

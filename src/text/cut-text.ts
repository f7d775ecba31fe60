/** The first `maxChars` characters and an ellipsis, or the whole text when it is not longer. */
export const cutText = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${headOf(text, Math.max(maxChars, 0))}…`;

/** The text, shortened so that it has at most `maxChars` characters with its ellipsis. */
export const fitText = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : cutText(text, maxChars - 1);

/** At most the first `maxChars` characters. */
export const headOf = (text: string, maxChars: number): string =>
  text.slice(0, isSplit(text, maxChars) ? maxChars - 1 : maxChars);

/** At most the last `maxChars` characters. */
export function tailOf(text: string, maxChars: number): string {
  const start = Math.max(text.length - maxChars, 0);
  return text.slice(isSplit(text, start) ? start + 1 : start);
}

/** The same text in memory of its own: a part of a text keeps all of it in memory. */
export const ownCopy = (text: string): string => ` ${text}`.slice(1);

/** Does this place lie between the two halves of one character, such as an emoji? */
const isSplit = (text: string, index: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(index - 1, index + 1));

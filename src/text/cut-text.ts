/** The first `maxChars` characters and an ellipsis, or the whole text when it is not longer. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const end = Math.max(maxChars, 0);
  return `${text.slice(0, isSplit(text, end) ? end - 1 : end)}…`;
}

/** The text, shortened so that it has at most `maxChars` characters with its ellipsis. */
export const fitText = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : cutText(text, maxChars - 1);

/** Does this place lie between the two halves of one character, such as an emoji? */
const isSplit = (text: string, index: number): boolean =>
  /^[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(index - 1, index + 1));

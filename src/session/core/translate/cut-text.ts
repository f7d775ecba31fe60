/** For a person to see what it is: the log is not to be filled with it. */
export const cutText = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars)}…` : text;

/** What a person is typing that the page can complete: a command after a slash, a file after an @. */
export interface TypedPart {
  readonly kind: "command" | "file";
  readonly query: string;
  /** Where the part begins, with its sign. */
  readonly from: number;
  readonly to: number;
}

/** The part before the caret. A slash counts at the beginning of a message alone, an @ at the beginning of a word. */
export function typedPart(text: string, caret: number): TypedPart | undefined {
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before);
  if (command) return { kind: "command", query: command[1] ?? "", from: 0, to: caret };
  const file = /(?:^|[\s(「『（])@(\S*)$/u.exec(before);
  if (!file) return undefined;
  const query = file[1] ?? "";
  return { kind: "file", query, from: caret - query.length - 1, to: caret };
}

/** The text with the part replaced, and where the caret goes. A directory can be typed on. */
export function withCompletion(
  text: string,
  { from, to }: TypedPart,
  chosen: string,
): { readonly text: string; readonly caret: number } {
  const rest = text.slice(to);
  const ends = chosen.endsWith("/") || rest.startsWith(" ") ? chosen : `${chosen} `;
  return { text: text.slice(0, from) + ends + rest, caret: from + ends.length };
}

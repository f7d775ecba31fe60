const LINE_CHARS = 110;

/** The first line, as short as a terminal wants it, and nothing in it that a terminal would obey. */
export function brief(text: string, chars = LINE_CHARS): string {
  const line = text
    .trim()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\p{Cc}/gu, "�");
  return line.length > chars ? `${line.slice(0, chars - 1)}…` : line;
}

import { stripVTControlCharacters } from "node:util";

/** Everything that a terminal would obey, and what turns the order of letters round; a tab and a line end are text. */
const controls = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * What a model or a tool wrote, harmless to a terminal: it cannot move the cursor, change the title or
 * hide a part of a command that a person is asked to allow.
 */
export const cleanText = (text: string): string =>
  stripVTControlCharacters(text.replaceAll("\r\n", "\n"))
    .replaceAll(controls, "")
    .replaceAll("\t", "  ");

/** The first line, cut to `max` characters, with a mark where something is missing. */
export function brief(text: string, max: number): string {
  const clean = cleanText(text).trim();
  const [line = ""] = clean.split("\n");
  if (line.length > max) return `${line.slice(0, max - 1)}…`;
  return line.length < clean.length ? `${line} …` : line;
}

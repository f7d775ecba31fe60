import { stripVTControlCharacters } from "node:util";
import { ESC } from "./escape-character.ts";
import { fitText } from "../../text/cut-text.ts";

/** Characters that reverse the order of letters, so that a command reads as another one. People must see them. */
const turns = /[\u202a-\u202e\u2066-\u2069]/gu;
/** Everything else that a terminal would obey; a tab and a line end are text. */
const controls = /(?![\n\t])[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * Makes text of a model or a tool harmless to a terminal: it cannot move the cursor, change the title or hide a part
 * of a command that a person is asked to allow.
 */
export const cleanText = (text: string): string =>
  stripVTControlCharacters(text.replaceAll("\r\n", "\n"))
    .replaceAll(turns, "\ufffd")
    .replaceAll(controls, "")
    .replaceAll("\t", "  ");

const colour = new RegExp(`(${ESC}\\[[\\d;]*m)`);

/** The same for a text that contains our colours. */
export const cleanPainted = (text: string): string =>
  text
    .split(colour)
    .map((part) => (part.startsWith(ESC) ? part : cleanText(part)))
    .join("");

/** The first line, cut to `max` characters, with a mark where something is missing. */
export function brief(text: string, max: number): string {
  const clean = cleanText(text).trim();
  const [line = ""] = clean.split("\n");
  if (line.length > max) return fitText(line, max);
  return line.length < clean.length ? `${line} …` : line;
}

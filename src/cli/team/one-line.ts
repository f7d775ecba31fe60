import { fitText } from "../../text/cut-text.ts";

const LINE_CHARS = 110;

/** The text in one line, shortened for a terminal, without control characters. */
export function oneLine(text: string, chars = LINE_CHARS): string {
  const line = text
    .trim()
    .replaceAll(/\s+/g, " ")
    .replaceAll(/\p{Cc}/gu, "�");
  return fitText(line, chars);
}

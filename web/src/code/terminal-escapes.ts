/** Stands for "erase the rest of the line" in a text without escapes; terminals take it for nothing. */
export const ERASE = "\u{18}";

const LONGEST = 4_096;

const esc = "\u{1b}";
// The marks that begin a string for the terminal, in their two forms: OSC (links, clipboard, titles), DCS, SOS, PM and APC.
const begins = `(?:${esc}[\\]PX^_]|[\u{9d}\u{90}\u{98}\u{9e}\u{9f}])`;
const inside = `[^\u{7}${esc}\u{9c}]*`;
const strings = `${begins}${inside}(?:\u{7}|${esc}\\\\|\u{9c})`;
const sequence = `(?:${esc}\\[|\u{9b})([0-?]*)[ -/]*([@-~])`;
const others = `${esc}[ -/]*[0-Z\\\\\`-~]`;
const escapes = new RegExp(`${strings}|${sequence}|${others}|[\u{7}${ERASE}]`, "gu");
const unfinished = new RegExp(
  `(?:${begins}${inside}${esc}?|(?:${esc}\\[|\u{9b})[0-?]*[ -/]*|${esc}[ -/]*)$`,
  "u",
);

/**
 * A terminal's text with colours and carriage returns, and without anything else that commands a terminal: links, titles, the
 * clipboard and moves of the cursor do nothing here. An escape that is not complete yet is handed back as `held`.
 */
export function withoutCommands(text: string): { readonly text: string; readonly held: string } {
  const from = Math.max(0, text.length - LONGEST);
  const open = unfinished.exec(text.slice(from));
  const end = open === null ? text.length : from + open.index;
  const kept = text
    .slice(0, end)
    .replace(escapes, (_, values: string | undefined, command: string | undefined) => {
      if (command === "m" && values !== undefined && /^[\d;:]*$/.test(values)) {
        return `\u{1b}[${values.replaceAll(":", ";")}m`;
      }
      return command === "K" && /^0?$/.test(values ?? "")
        ? ERASE
        : command === "K"
          ? `\r${ERASE}`
          : "";
    });
  return { text: kept, held: text.slice(end) };
}

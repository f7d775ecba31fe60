import { TerminalOutput } from "./terminal-output.ts";

const MARK_CHARS = 200;
const MAX_TRIES = 64;

/** A terminal whose text is handed in as its newest part, which grows at its end and may lose its beginning. */
export class SlidingTerminal {
  #output = new TerminalOutput();
  #taken = "";

  take(text: string): TerminalOutput {
    if (text === this.#taken) return this.#output;
    const known = knownLength(this.#taken, text);
    if (known === undefined) this.#output = new TerminalOutput();
    this.#output.append(text.slice(known ?? 0));
    this.#taken = text;
    return this.#output;
  }
}

/** How much of the new text's beginning is the old text's end; undefined when the new one does not continue the old one. */
function knownLength(before: string, text: string): number | undefined {
  if (text.startsWith(before)) return before.length;
  const mark = text.slice(0, MARK_CHARS);
  let at = before.indexOf(mark);
  for (let tries = 0; at >= 0 && tries < MAX_TRIES; tries++) {
    const end = before.slice(at);
    if (text.startsWith(end)) return end.length;
    at = before.indexOf(mark, at + 1);
  }
  return undefined;
}

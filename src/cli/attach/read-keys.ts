import { ESC } from "./escape-character.ts";

export type Key =
  | { readonly name: "text"; readonly text: string; readonly isPaste: boolean }
  | { readonly name: KeyName };

export type KeyName =
  | "enter"
  | "newline"
  | "backspace"
  | "delete"
  | "left"
  | "right"
  | "up"
  | "down"
  | "home"
  | "end"
  | "escape"
  | "tab"
  | "kill-left"
  | "kill-right"
  | "kill-word"
  | "interrupt"
  | "eof"
  | "redraw";

const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;

const wholeSequence = new RegExp(`^${ESC}(?:\\[[\\d;?]*[@-~]|O[A-Z]|[\r\n\u007f])`);
const cutSequence = new RegExp(`^${ESC}(?:\\[[\\d;?]*|O)?$`);

const sequences: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "newline",
  [`${ESC}\r`]: "newline",
  [`${ESC}\n`]: "newline",
  "\u007f": "backspace",
  "\b": "backspace",
  "\t": "tab",
  "\u0001": "home",
  "\u0002": "left",
  "\u0003": "interrupt",
  "\u0004": "eof",
  "\u0005": "end",
  "\u0006": "right",
  "\u000b": "kill-right",
  "\u000c": "redraw",
  "\u0015": "kill-left",
  "\u0017": "kill-word",
  [`${ESC}\u007f`]: "kill-word",
  [`${ESC}[A`]: "up",
  [`${ESC}[B`]: "down",
  [`${ESC}[C`]: "right",
  [`${ESC}[D`]: "left",
  [`${ESC}[H`]: "home",
  [`${ESC}[F`]: "end",
  [`${ESC}[1~`]: "home",
  [`${ESC}[4~`]: "end",
  [`${ESC}[3~`]: "delete",
  [`${ESC}OA`]: "up",
  [`${ESC}OB`]: "down",
  [`${ESC}OC`]: "right",
  [`${ESC}OD`]: "left",
  [`${ESC}OH`]: "home",
  [`${ESC}OF`]: "end",
};

/** How long the rest of a sequence may take: a lone Esc counts as the key when nothing has followed for this long. */
export const SEQUENCE_MS = 50;

/** What a terminal in raw mode sends, as keys. A sequence may come in pieces. */
export class KeyReader {
  #rest = "";
  #paste: string | undefined;

  push(chunk: string): Key[] {
    this.#rest += chunk;
    const keys: Key[] = [];
    for (let key = this.#next(); key !== undefined; key = this.#next()) {
      if (key !== "skip") keys.push(key);
    }
    return keys;
  }

  /** Whether the beginning of a sequence has arrived, which may also be the key Esc. */
  get isWaiting(): boolean {
    return this.#paste === undefined && this.#rest !== "";
  }

  /** The rest of the sequence did not come within `SEQUENCE_MS`. */
  flush(): Key[] {
    const rest = this.isWaiting ? this.#rest : "";
    if (rest !== "") this.#rest = "";
    return rest === ESC ? [{ name: "escape" }] : [];
  }

  #next(): Key | "skip" | undefined {
    if (this.#paste !== undefined) return this.#continuePaste(this.#paste);
    if (this.#rest === "") return undefined;
    if (this.#rest.startsWith(PASTE_BEGIN)) {
      this.#cut(PASTE_BEGIN.length);
      this.#paste = "";
      return "skip";
    }
    if (this.#rest.startsWith(ESC)) return this.#sequence();
    const [first = ""] = this.#rest;
    const name = sequences[first];
    if (name) return this.#key(first.length, name);
    // Other control characters are ignored.
    const text = /^\P{Cc}+/u.exec(this.#rest)?.[0];
    this.#cut(text?.length ?? 1);
    return text === undefined ? "skip" : { name: "text", text, isPaste: false };
  }

  #sequence(): Key | "skip" | undefined {
    const found = wholeSequence.exec(this.#rest)?.[0];
    if (found !== undefined) {
      const name = sequences[found];
      if (name) return this.#key(found.length, name);
      this.#cut(found.length);
      return "skip";
    }
    if (cutSequence.test(this.#rest)) return undefined;
    if (this.#rest.startsWith(ESC + ESC)) return this.#key(1, "escape");
    this.#cut(2);
    return "skip";
  }

  #continuePaste(before: string): Key | undefined {
    const end = this.#rest.indexOf(PASTE_END);
    if (end < 0) {
      // The end mark itself may be in pieces.
      const keep = Math.min(this.#rest.length, PASTE_END.length - 1);
      this.#paste = before + this.#rest.slice(0, this.#rest.length - keep);
      this.#rest = this.#rest.slice(this.#rest.length - keep);
      return undefined;
    }
    const text = (before + this.#rest.slice(0, end)).replaceAll(/\r\n?/g, "\n");
    this.#paste = undefined;
    this.#cut(end + PASTE_END.length);
    return { name: "text", text, isPaste: true };
  }

  #key(length: number, name: KeyName): Key {
    this.#cut(length);
    return { name };
  }

  #cut(length: number): void {
    this.#rest = this.#rest.slice(length);
  }
}

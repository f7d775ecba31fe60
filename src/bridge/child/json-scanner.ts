import { decodeUtf8 } from "../../wire/utf8.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Room for seven escaped letters and the quotes. Longer keys are not read. */
const LONGEST_KEY_BYTES = 7 * 6 + 2;

/** Walks over JSON. Throws where it cannot go on. */
export class JsonScanner {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    // A Buffer view, because only a Buffer searches for a byte natively.
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  seesObject(): boolean {
    return this.#sees(OPEN_BRACE);
  }

  /**
   * Calls `onField` after the colon of each field, with its key, or undefined for a long one; `onField` must move
   * past the value.
   */
  object(onField: (key: string | undefined) => void): void {
    this.#expect(OPEN_BRACE);
    if (!this.#sees(CLOSE_BRACE)) {
      do {
        const key = this.#key();
        this.#expect(COLON);
        onField(key);
      } while (this.#passes(COMMA));
    }
    this.#expect(CLOSE_BRACE);
  }

  /** A string, number, boolean or null. */
  scalar(): unknown {
    this.#skipSpace();
    const start = this.#at;
    this.skipValue();
    const value: unknown = this.#parse(start);
    if (typeof value === "object" && value !== null) throw new SyntaxError("not a plain value");
    return value;
  }

  skipValue(): void {
    this.#skipSpace();
    const first = this.#bytes[this.#at];
    if (first === QUOTE) this.#skipString();
    else if (first === OPEN_BRACE || first === OPEN_BRACKET) this.#skipNested();
    else this.#skipWord();
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#bytes.length) throw new SyntaxError("more than one value");
  }

  #key(): string | undefined {
    this.#skipSpace();
    const start = this.#at;
    if (this.#bytes[start] !== QUOTE) throw new SyntaxError("a field without a name");
    this.#skipString();
    return this.#at - start > LONGEST_KEY_BYTES ? undefined : (this.#parse(start) as string);
  }

  #parse(start: number): unknown {
    return JSON.parse(decodeUtf8(this.#bytes.subarray(start, this.#at)));
  }

  /** Moves to the quote that is not escaped. */
  #skipString(): void {
    const start = this.#at + 1;
    for (let from = start; ; from = this.#at) {
      const quote = this.#bytes.indexOf(QUOTE, from);
      if (quote < 0) throw new SyntaxError("a string without an end");
      this.#at = quote + 1;
      let before = quote;
      while (before > start && this.#bytes[before - 1] === BACKSLASH) before -= 1;
      if ((quote - before) % 2 === 0) return;
    }
  }

  #skipNested(): void {
    let depth = 0;
    do {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new SyntaxError("a value without an end");
      if (byte === QUOTE) {
        this.#skipString();
        continue;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1;
      this.#at += 1;
    } while (depth > 0);
  }

  /** A number, `true`, `false` or `null`. */
  #skipWord(): void {
    const start = this.#at;
    while (isOfWord(this.#bytes[this.#at])) this.#at += 1;
    if (this.#at === start) throw new SyntaxError("no value");
  }

  #expect(byte: number): void {
    if (!this.#passes(byte)) throw new SyntaxError(`no ${String.fromCharCode(byte)}`);
  }

  #sees(byte: number): boolean {
    this.#skipSpace();
    return this.#bytes[this.#at] === byte;
  }

  #passes(byte: number): boolean {
    if (!this.#sees(byte)) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    while (isSpace(this.#bytes[this.#at])) this.#at += 1;
  }
}

const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const isOfWord = (byte: number | undefined): boolean =>
  byte !== undefined &&
  byte !== COMMA &&
  byte !== CLOSE_BRACE &&
  byte !== CLOSE_BRACKET &&
  !isSpace(byte);

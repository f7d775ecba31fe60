const closers = { "{": "}", "[": "]" };
type Opener = keyof typeof closers;

/**
 * Reads the JSON of an object piece by piece, and passes on what can be closed at once: complete values, and strings
 * up to their current end. It holds back a key until its value, a number until its end, the last brace for ever, and
 * everything after a key that the object cannot have.
 */
export class PartialJson {
  #text = "";
  #at = 0;
  /** Everything before this was passed on. */
  #safe = 0;
  readonly #open: Opener[] = [];
  #string: "key" | "value" | undefined;
  #stringFrom = 0;
  /** How many characters of an escape are missing. */
  #escaped = 0;
  #wantsKey = false;
  #hasKeys = false;
  #isStopped = false;
  readonly #isKey: (key: string) => boolean;

  constructor(isKey: (key: string) => boolean) {
    this.#isKey = isKey;
  }

  /** All that was passed on. */
  get told(): string {
    return this.#text.slice(0, this.#safe);
  }

  /** What closes that, except the object itself. */
  get closing(): string {
    if (this.#isStopped) return "";
    const inner = this.#open.slice(1).map((opener) => closers[opener]);
    return (this.#string === "value" ? '"' : "") + inner.toReversed().join("");
  }

  /** Returns what can be passed on now. */
  take(delta: string): string {
    const before = this.#safe;
    this.#text += delta;
    for (; this.#at < this.#text.length; this.#at += 1) this.#read(this.#text.charAt(this.#at));
    return this.#text.slice(before, this.#safe);
  }

  #read(character: string): void {
    if (this.#string !== undefined) return this.#readInString(character);
    switch (character) {
      case '"':
        this.#string = this.#wantsKey ? "key" : "value";
        this.#stringFrom = this.#at;
        if (this.#string === "value") this.#letThrough(this.#at + 1);
        break;
      case "{":
      case "[":
        this.#open.push(character);
        this.#wantsKey = character === "{";
        // The object itself waits for its first value, so that either nothing or a property is streamed.
        if (this.#open.length > 1) this.#letThrough(this.#at + 1);
        break;
      case "}":
      case "]":
        if (this.#open.length > 1) this.#letThrough(this.#at + 1);
        else if (this.#hasKeys) this.#letThrough(this.#at);
        this.#open.pop();
        this.#wantsKey = false;
        break;
      case ",":
        this.#letThrough(this.#at);
        this.#wantsKey = this.#open.at(-1) === "{";
        break;
      case ":":
        this.#wantsKey = false;
        break;
      default:
    }
  }

  #readInString(character: string): void {
    if (this.#escaped > 0) this.#escaped += character === "u" ? 3 : -1;
    else if (character === "\\") this.#escaped = 1;
    else if (character === '"') return this.#endString();
    if (this.#escaped === 0 && this.#string === "value") this.#letThrough(this.#at + 1);
  }

  #endString(): void {
    if (this.#string === "value") this.#letThrough(this.#at + 1);
    else if (this.#open.length === 1)
      this.#judgeKey(this.#text.slice(this.#stringFrom, this.#at + 1));
    this.#string = undefined;
  }

  #judgeKey(quoted: string): void {
    this.#hasKeys = true;
    this.#isStopped ||= !this.#isKey(parse(quoted));
  }

  #letThrough(upTo: number): void {
    if (!this.#isStopped) this.#safe = upTo;
  }
}

/** Invalid JSON is not a key. */
function parse(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted;
  }
}

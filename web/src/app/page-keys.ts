/** What a key, or two in a row, does on every view. */
export type PageCommand =
  | "keys"
  | "board"
  | "talk"
  | "calls"
  | "tasks"
  | "mail"
  | "lost"
  | "spend"
  | "settings";

const SECOND_KEY_MS = 1500;

export const places: Readonly<Record<string, Exclude<PageCommand, "keys">>> = {
  b: "board",
  k: "talk",
  c: "calls",
  t: "tasks",
  m: "mail",
  l: "lost",
  s: "spend",
  e: "settings",
};

/** Recognises `?`, and `g` with a letter soon after it. */
export class KeySequence {
  #begunAt: number | undefined;

  /** @param key a key that stands alone, outside of every text field. @param now in ms, of any clock. */
  take(key: string, now: number): PageCommand | undefined {
    const isSecond = this.#begunAt !== undefined && now - this.#begunAt <= SECOND_KEY_MS;
    this.#begunAt = undefined;
    if (isSecond) return Object.hasOwn(places, key) ? places[key] : undefined;
    if (key === "?") return "keys";
    if (key === "g") this.#begunAt = now;
    return undefined;
  }
}

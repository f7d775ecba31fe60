import type { News } from "./news.ts";

/** News as they go out. */
export interface ToldNews extends News {
  /** A notifier ended while it told this, so it may have been told before, under the same id. */
  readonly repeated: boolean;
  /** Opens the page at the call. */
  readonly link?: string;
}

/** What became of one try to tell. */
export type Telling =
  | { readonly kind: "told" }
  /** It may go better later: after `afterMs`, if the other side said so. */
  | {
      readonly kind: "later";
      readonly why: string;
      readonly afterMs?: number | undefined;
      /** There was no answer, so somebody may have been told. */
      readonly mayHaveArrived: boolean;
    }
  /** These news are refused, and will be. Others may be taken. */
  | { readonly kind: "refused"; readonly why: string }
  /** Nothing will be taken until a person changes something. */
  | { readonly kind: "wrong"; readonly why: string };

/** Somebody who tells a person. */
export interface Sink {
  /** Never rejects. */
  deliver(news: ToldNews, signal: AbortSignal): Promise<Telling>;
}

/** Said before news that may have come already. */
const REPEATED = "(You may have been told this before.)";

/** What people read under the title, at most so long; what is cut away is said. */
export function bodyOf({ text, repeated }: ToldNews, fit: (text: string) => string): string {
  const said = text === "" ? "(no text)" : text;
  return fit(repeated ? `${REPEATED}\n${said}` : said);
}

/**
 * The longest beginning whose form fits, with a line that says how much is missing.
 *
 * @param fits is false for every text that is longer than one for which it is false.
 */
export function fitBeginning(text: string, fits: (shown: string) => boolean): string {
  if (fits(text)) return text;
  const letters = Array.from(text);
  const shownAt = (count: number): string =>
    `${letters.slice(0, count).join("")}…\n(${letters.length - count} more characters are not shown. Decide on the page.)`;
  let [low, high] = [0, letters.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(shownAt(middle))) low = middle;
    else high = middle - 1;
  }
  return shownAt(low);
}

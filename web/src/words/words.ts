import { signal } from "@preact/signals";
import { en } from "./en.ts";
import { ja } from "./ja.ts";
import { jaErrors } from "./ja/errors.ts";

/** English is the measure: every other catalogue has the same keys, which the type checker sees to. */
export type WordKey = keyof typeof en;
export type Catalogue = Readonly<Record<WordKey, string>>;
export type Language = "en" | "ja";

const catalogues: Readonly<Record<Language, Catalogue>> = { en, ja };

export const languages: readonly Language[] = ["en", "ja"];

/** The language of the page. Components that read words are drawn anew when it changes. */
export const language = signal<Language>("en");

/** A text of the page, with its `{names}` filled in. */
export function t(key: WordKey, values: Readonly<Record<string, string | number>> = {}): string {
  return catalogues[language.value][key].replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === "number" ? number(value) : value;
  });
}

/** One of two texts: the first for exactly one of something, the second for any other number. Both may say `{n}`. */
export const counted = (one: WordKey, many: WordKey, n: number): string =>
  t(plural().select(n) === "one" ? one : many, { n });

/** A text for a key that is made of a name on the wire, such as an error's code; undefined when there is none. */
export function wordFor(prefix: string, name: string): string | undefined {
  const key = `${prefix}.${name}`;
  return key in en ? t(key as WordKey) : undefined;
}

/** By language and code. */
const errors: Readonly<Partial<Record<Language, Readonly<Record<string, string>>>>> = {
  ja: jaErrors,
};

/** What an error means in the person's language; undefined in English, which its own message speaks, and for a new code. */
export function wordsOfError(code: string): string | undefined {
  const words = errors[language.value];
  return words !== undefined && Object.hasOwn(words, code) ? words[code] : undefined;
}

/** What a notice or an error of the team is about, in the person's language; undefined in English, as of an error. */
export const wordsOfNotice = (code: string | undefined): string | undefined =>
  language.value === "en" || code === undefined
    ? undefined
    : (wordFor("notice", code) ?? wordsOfError(code));

const plural = (): Intl.PluralRules => new Intl.PluralRules(language.value);

export const number = (value: number): string =>
  new Intl.NumberFormat(language.value).format(value);

/** A sum of money; small ones with the digits that count. */
export const money = (usd: number): string =>
  new Intl.NumberFormat(language.value, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: usd !== 0 && Math.abs(usd) < 0.01 ? 4 : 2,
  }).format(usd);

/** The time of day, as the person's machine shows it. */
export const timeOfDay = (at: string | number | Date): string =>
  new Intl.DateTimeFormat(language.value, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).format(new Date(at));

/** A length of time in two units at most, such as "4 min 12 s". */
export function lengthOfTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (ms < 10_000) return t("time.seconds", { n: Math.max(0, Math.round(ms / 100) / 10) });
  if (seconds < 60) return t("time.seconds", { n: seconds });
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return t("time.minutes", { n: minutes, s: seconds % 60 });
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return t("time.hours", { n: hours, m: minutes % 60 });
  return t("time.days", { n: Math.floor(hours / 24) });
}

/** What is left of a deadline, such as "4:12". */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

const two = (value: number): string => String(value).padStart(2, "0");

import { array, assert, constant, constantFrom, oneof, property } from "fast-check";
import { expect, test } from "vitest";
import type { ReadableText } from "./match-wildcard.ts";
import { fitsWildcard } from "./match-wildcard.ts";

/** The meaning in its simplest form: a `*` is nothing, or one character and a `*`. */
function fitsSimply(pattern: string, text: string, barred: string): boolean {
  if (pattern === "") return text === "";
  const [first, ...others] = pattern;
  const rest = others.join("");
  if (first !== "*") return text[0] === first && fitsSimply(rest, text.slice(1), barred);
  if (fitsSimply(rest, text, barred)) return true;
  return (
    text !== "" && !barred.includes(text[0] ?? "") && fitsSimply(pattern, text.slice(1), barred)
  );
}

// Few characters, so that pieces occur often, overlap, and hold what is barred.
const letters = constantFrom("a", "b", ";");
const texts = array(letters, { maxLength: 14 }).map((each) => each.join(""));
const patterns = array(oneof(letters, constant("*")), { maxLength: 9 }).map((each) =>
  each.join(""),
);

test.each(["", ";"])("fitsWildcard agrees with the simple definition, with %j barred", (barred) => {
  assert(
    property(patterns, texts, (pattern, text) => {
      expect(fitsWildcard(pattern, text, barred)).toBe(fitsSimply(pattern, text, barred));
    }),
    { numRuns: 5000 },
  );
});

/** A text that counts how often it is read. */
class CountedText implements ReadableText {
  reads = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  get length(): number {
    return this.#text.length;
  }

  charCodeAt(index: number): number {
    this.reads += 1;
    return this.#text.charCodeAt(index);
  }
}

test.each([
  ["*git*push*--force*origin*", "git push --force "],
  ["*rm*-rf*", "rm"],
  ["*a*a*a*a*a*a*b*", "a"],
  ["*aaaaaaab*", "a"],
])("fitsWildcard reads each character of a long text once for %s", (pattern, repeated) => {
  const text = new CountedText(repeated.repeat(20_000));
  expect(fitsWildcard(pattern, text)).toBe(false);
  expect(text.reads).toBeLessThanOrEqual(text.length);
});

/**
 * Readers for fields that the SDK's types promise and that a newer CLI may omit: the beginning and the end of a turn
 * must be reported whatever else has changed.
 */

export const countOf = (value: unknown): number =>
  typeof value === "number" && value >= 0 ? value : 0;

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** @throws on a value that is not in the list: the message is then not understood. */
export function knownWord<const Word extends string>(words: readonly Word[], value: unknown): Word {
  const word = words.find((known) => known === value);
  if (word === undefined) throw new TypeError(`unknown word: ${JSON.stringify(value)}`);
  return word;
}

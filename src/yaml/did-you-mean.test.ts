import { array, assert, nat, property, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { didYouMean } from "./did-you-mean.ts";

const fields = [
  "description",
  "prompt",
  "prompt_file",
  "may_message",
  "may_interrupt",
  "tools",
  "mcp",
];

test.each([
  ["promt", "prompt"],
  ["Prompt", "prompt"],
  ["prompt-file", "prompt_file"],
  ["mayMessage", "may_message"],
  ["may_mesage", "may_message"],
  ["desc", "description"],
  ["tool", "tools"],
  ["toosl", "tools"],
  ["pormpt", "prompt"],
])("%s is taken for %s", (word, meant) => {
  expect(didYouMean(word, fields)).toBe(meant);
});

test.each(["colour", "x", "budget"])("didYouMean suggests nothing for %s", (word) => {
  expect(didYouMean(word, fields)).toBeUndefined();
});

test("didYouMean suggests the word that differs by one letter, whatever other words are known", () => {
  assert(
    property(
      stringMatching(/^[a-z]{6,12}$/),
      nat(),
      array(stringMatching(/^[0-9]{6,12}$/)),
      (word, at, others) => {
        const index = at % word.length;
        const slip = `${word.slice(0, index)}#${word.slice(index + 1)}`;
        expect(didYouMean(slip, [...others, word])).toBe(word);
      },
    ),
  );
});

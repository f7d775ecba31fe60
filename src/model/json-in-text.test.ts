import { expect, it } from "vitest";
import { jsonIn } from "./json-in-text.ts";

it.each<[string, string, unknown[]]>([
  ["is the whole text", '{"a":1}', [{ a: 1 }, { a: 1 }]],
  ["is a list", "[1]", [[1]]],
  ["stands in a fence", 'So:\n```json\n{"a":1}\n```', [{ a: 1 }, { a: 1 }]],
  [
    "stands in a sentence",
    'It is {"a":{"b":"}"}}, or {"c":"\\"{"}.',
    [{ a: { b: "}" } }, { c: '"{' }],
  ],
  ["is not there", "No.", []],
  ["is no object", "42", []],
  ["never ends", 'It is {"a":', []],
])("finds JSON that %s", (_where, text, found) => {
  expect(jsonIn(text)).toEqual(found);
});

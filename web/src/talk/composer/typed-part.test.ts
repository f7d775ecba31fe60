import { expect, test } from "vitest";
import { typedPart, withCompletion } from "./typed-part.ts";

test.each([
  ["/", 1, { kind: "command", query: "", from: 0, to: 1 }],
  ["/com", 4, { kind: "command", query: "com", from: 0, to: 4 }],
  ["see @src/a", 10, { kind: "file", query: "src/a", from: 4, to: 10 }],
  ["「@src", 5, { kind: "file", query: "src", from: 1, to: 5 }],
])("`typedPart` of %j at %i is what can be completed", (text, caret, part) => {
  expect(typedPart(text, caret)).toEqual(part);
});

test.each([
  ["/com arg", 8],
  ["say /com", 8],
  ["me@example.com", 14],
  ["@src done", 9],
])("`typedPart` of %j at %i is nothing", (text, caret) => {
  expect(typedPart(text, caret)).toBeUndefined();
});

test("`withCompletion` puts a file in, and the caret behind it", () => {
  const text = "see @sr now";
  const part = typedPart(text, 7)!;
  expect(withCompletion(text, part, "@src/a.ts")).toEqual({ text: "see @src/a.ts now", caret: 13 });
});

test("`withCompletion` leaves a directory open, so that the person can type on", () => {
  const part = typedPart("@sr", 3)!;
  expect(withCompletion("@sr", part, "@src/")).toEqual({ text: "@src/", caret: 5 });
});

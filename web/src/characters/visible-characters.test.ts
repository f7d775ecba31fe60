import { describe, expect, it } from "vitest";
import { hasHidden, visibleParts, visibleString } from "./visible-characters.ts";

const shown = (text: string): string =>
  visibleParts(text)
    .map((part) => (part.is === "text" ? part.text : `<${part.name}>`))
    .join("");

it("`visibleString` names hidden characters in brackets", () => {
  expect(visibleString("a\u202eb\u200b")).toBe("a[U+202E]b[U+200B]");
  expect(visibleString("a b")).toBe("a b");
});

describe("visibleParts", () => {
  it.each([
    ["a\u202eb", "a<U+202E>b"],
    ["\u2066x\u2069", "<U+2066>x<U+2069>"],
    ["a\u200bb\u200c\ufeff", "a<U+200B>b<U+200C><U+FEFF>"],
    ["\0\u001b[31m\r", "<U+0000><U+001B>[31m<U+000D>"],
    ["a\u2028b\u2029", "a<U+2028>b<U+2029>"],
    ["\ud800x\udc00", "<U+D800>x<U+DC00>"],
    ["\u{e0041}\u00ad\u3164\u2800", "<U+E0041><U+00AD><U+3164><U+2800>"],
    ["\ue000\ufffe", "<U+E000><U+FFFE>"],
    ["a\u200db", "a<U+200D>b"],
    ["a\u200cb", "a<U+200C>b"],
    ["\u0645\u200c", "\u0645<U+200C>"],
  ])("names what is not seen in %j", (text, expected) => {
    expect(shown(text)).toBe(expected);
    expect(hasHidden(text)).toBe(true);
  });

  it("names marks that are piled up on one letter, as one", () => {
    expect(shown(`e${"\u0301".repeat(500)}x`)).toBe(`e${"\u0301".repeat(8)}<U+0301 … ×492>x`);
  });

  it.each(["plain\n\ttext", "日本語、「重要」", "e\u0301", "👨‍👩‍👧 ❤️ 👍🏽", "می‌خواهم", "क्‍ष", ""])(
    "leaves %j as it is",
    (text) => {
      expect(shown(text)).toBe(text);
      expect(hasHidden(text)).toBe(false);
    },
  );

  it("loses nothing of the text", () => {
    const text = "a\u202eb\0\u{1f469}\u200d\u{1f469}c\ud800";
    expect(
      visibleParts(text)
        .map((part) => part.text)
        .join(""),
    ).toBe(text);
  });
});

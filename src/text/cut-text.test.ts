import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText, fitText } from "./cut-text.ts";

const texts = fc.string({ unit: "binary", maxLength: 40 });
const limits = fc.integer({ min: 0, max: 50 });

describe("cutText", () => {
  it("keeps a text that is short enough, and marks where it cut a longer one", () => {
    expect(cutText("abcd", 4)).toBe("abcd");
    expect(cutText("abcde", 4)).toBe("abcd…");
    expect(cutText("ab😀d", 3)).toBe("ab…");
    expect(cutText("ab😀d", 4)).toBe("ab😀…");
  });

  it("keeps a beginning of the text in whole characters, as long as allowed", () => {
    fc.assert(
      fc.property(texts, limits, (text, max) => {
        fc.pre(text.length > max);
        const cut = cutText(text, max);
        const kept = cut.slice(0, -1);
        expect(cut.endsWith("…")).toBe(true);
        expect(text.startsWith(kept)).toBe(true);
        expect(kept.isWellFormed()).toBe(true);
        expect(kept.length).toBeLessThanOrEqual(max);
        expect(kept.length).toBeGreaterThanOrEqual(max - 1);
      }),
    );
  });
});

describe("fitText", () => {
  it("returns at most the allowed number of characters, the ellipsis included", () => {
    expect(fitText("abcd", 4)).toBe("abcd");
    expect(fitText("abcde", 4)).toBe("abc…");
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 50 }), (text, max) => {
        expect(fitText(text, max).length).toBeLessThanOrEqual(max);
      }),
    );
  });
});

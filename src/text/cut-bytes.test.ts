import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutBytes, firstCharacter } from "./cut-bytes.ts";

const texts = fc.string({ unit: "binary", maxLength: 40 });
const limits = fc.integer({ min: 0, max: 100 });

describe("cutBytes", () => {
  it("keeps the longest beginning of the text that fits, in whole characters", () => {
    fc.assert(
      fc.property(texts, limits, (text, max) => {
        const cut = cutBytes(text, max);
        expect(text.startsWith(cut)).toBe(true);
        expect(cut.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        const [next = "x".repeat(max + 1)] = text.slice(cut.length);
        expect(Buffer.byteLength(cut + next)).toBeGreaterThan(max);
      }),
    );
  });

  it("keeps a replacement character that the text itself ends with", () => {
    expect(cutBytes("a\uFFFDb", 4)).toBe("a\uFFFD");
    expect(cutBytes("a😀", 4)).toBe("a");
  });
});

describe("firstCharacter", () => {
  it("skips the rest of a character whose beginning was cut off, and nothing else", () => {
    fc.assert(
      fc.property(texts, limits, (text, skipped) => {
        const bytes = Buffer.from(text).subarray(skipped);
        const rest = bytes.subarray(firstCharacter(bytes)).toString();
        expect(text.endsWith(rest)).toBe(true);
        expect(bytes.length - Buffer.byteLength(rest)).toBeLessThanOrEqual(3);
      }),
    );
  });
});

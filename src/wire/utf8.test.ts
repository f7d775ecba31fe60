import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  decodeUtf8,
  decodeUtf8Leniently,
  encodeUtf8,
  encodeUtf8Within,
  invalidUtf8Offset,
} from "./utf8.ts";

const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes);
const zeros = (count: number) => Array.from({ length: count }, () => 0);

describe("decodeUtf8", () => {
  it("keeps a byte order mark", () => {
    expect(decodeUtf8(bytesOf(0xef, 0xbb, 0xbf, 0x31))).toBe("\uFEFF1");
  });

  it("works on after a failure", () => {
    expect(() => decodeUtf8(bytesOf(0xe2, 0x82))).toThrow(TypeError);
    expect(decodeUtf8(bytesOf(0xac, 0x31).subarray(1))).toBe("1");
  });

  it("takes U+FFFD for a character like any other", () => {
    expect(decodeUtf8(encodeUtf8("a\uFFFDb"))).toBe("a\uFFFDb");
  });
});

describe("encodeUtf8Within", () => {
  it("gives what the encoder gives, between as many zeros as it is told", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(9), fc.nat(9), (text, before, behind) => {
        expect([...encodeUtf8Within({ before, behind }, text)]).toEqual([
          ...zeros(before),
          ...encodeUtf8(text),
          ...zeros(behind),
        ]);
      }),
      {
        examples: [
          ["a\uD800", 4, 0],
          ["\uD83D\uDE00", 0, 1],
          ["é".repeat(5000), 4, 1],
        ],
      },
    );
  });
});

describe("invalidUtf8Offset", () => {
  it.each([
    ["a lone continuation byte", bytesOf(0x61, 0x80, 0x62), 1],
    ["a sequence that breaks off", bytesOf(0x61, 0x62, 0xe2, 0x82, 0x63), 2],
    ["a sequence cut by the end", bytesOf(0x61, 0xf0, 0x9f, 0x98), 1],
    ["an encoded surrogate", bytesOf(0xed, 0xa0, 0x80), 0],
    ["an overlong form", bytesOf(0x61, 0xc0, 0xaf), 1],
    ["a true U+FFFD before the place", bytesOf(0xef, 0xbf, 0xbd, 0xff), 3],
    ["a sequence that begins like U+FFFD", bytesOf(0xef, 0xbf, 0x61), 2],
    ["the same at the end", bytesOf(0xef, 0xbf), 2],
  ])("finds %s", (_, bytes, offset) => {
    expect(decodeUtf8Leniently(bytes)).toContain("\uFFFD");
    expect(invalidUtf8Offset(bytes)).toBe(offset);
  });
});

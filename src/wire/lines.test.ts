import { describe, expect, it } from "vitest";
import { encodeLine, lineBytes, LineSplitter } from "./lines.ts";
import { MAX_MESSAGE_BYTES } from "./json-payload.ts";
import type { Split } from "./splitter.ts";
import { decode } from "./splitter.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

const textsOf = (splits: Split[]) =>
  splits.map((split) => (split.ok ? decodeUtf8(split.bytes) : split.error.code));

/** Pushes each text as a chunk of its own. */
const split = (chunks: string[], maxBytes?: number) => {
  const splitter = new LineSplitter(maxBytes);
  return textsOf(chunks.flatMap((chunk) => splitter.push(encodeUtf8(chunk))));
};

describe("encodeLine", () => {
  it("writes one line with one newline, and the line separators escaped", () => {
    expect(decodeUtf8(encodeLine({ text: "a\n\r\u2028\u2029" }))).toBe(
      `${String.raw`{"text":"a\n\r\u2028\u2029"}`}\n`,
    );
  });

  it("refuses what encodeJson refuses", () => {
    expect(() => encodeLine(1n)).toThrow(/BigInt/);
    expect(() => encodeLine("12345", 6)).toThrow("A message of at least 7 bytes is over the limit");
  });
});

describe("lineBytes", () => {
  it("makes spaces of the newlines between tokens", () => {
    expect(decodeUtf8(lineBytes(encodeUtf8('{\n"a": 1\n}\n')))).toBe('{ "a": 1 } \n');
  });

  it("leaves the given bytes alone and keeps the bound", () => {
    const json = encodeUtf8("[\n]");
    expect(lineBytes(json, 3)).toHaveLength(4);
    expect(decodeUtf8(json)).toBe("[\n]");
    expect(() => lineBytes(json, 2)).toThrow("is over the limit of 2 bytes.");
  });
});

describe("LineSplitter", () => {
  it("splits at newlines, tolerates CRLF and ignores blank lines", () => {
    expect(split(['{"a":1}\n\n\r\n \t\r\n2\r\n', "3", "\r", "\n", "\r\n\n4\n"])).toEqual([
      '{"a":1}',
      "2",
      "3",
      "4",
    ]);
  });

  it("splits at nothing but 0x0A", () => {
    const text = '"\u2028 \u2029 \u0085 \v \f \r x"';
    expect(split([`${text}\n`])).toEqual([text]);
  });

  it("takes away one carriage return at the end only", () => {
    expect(split(["\r1\r2\r\r\n"])).toEqual(["\r1\r2\r"]);
  });

  it("gives a line inside one chunk as a view of the chunk", () => {
    const chunk = encodeLine("here");
    const [found] = new LineSplitter().push(chunk);
    expect(found?.ok && found.bytes.buffer).toBe(chunk.buffer);
  });

  it("gives a line of several chunks in memory of its own", () => {
    const splitter = new LineSplitter();
    const chunk = encodeUtf8('"the');
    splitter.push(chunk);
    chunk.fill(0);
    expect(textsOf(splitter.push(encodeUtf8('re"\n')))).toEqual(['"there"']);
  });

  it("accepts a line of exactly the maximum, with and without a carriage return", () => {
    const line = "x".repeat(MAX_MESSAGE_BYTES);
    expect(split([`${line}\n${line}\r\n`, line, "\r", `\n${line}\r`, "\n"])).toEqual([
      line,
      line,
      line,
      line,
    ]);
  });

  it.each([
    ["in one chunk", ["12345\n6\n"]],
    ["before its newline", ["12345", "\n6\n"]],
    ["with a carriage return", ["12345\r\n6\n"]],
    ["with the carriage return in a chunk of its own", ["12345", "\r", "\n6\n"]],
    ["with a carriage return that is not the last byte", ["1234\r", "5\n6\n"]],
    ["one byte at a time", "12345\n6\n".split("")],
    ["much longer", ["123", "456789", "0123", "4\n6\n"]],
  ])("refuses one byte more once and goes on: %s", (_, chunks) => {
    expect(split(chunks, 4)).toEqual(["message_too_large", "6"]);
  });

  it("refuses as soon as the bound is passed and says what is known of the size", () => {
    const splitter = new LineSplitter(4);
    expect(splitter.push(encodeUtf8("123"))).toEqual([]);
    expect(splitter.push(encodeUtf8("4567"))).toMatchObject([
      {
        ok: false,
        error: {
          code: "message_too_large",
          message: "A line of at least 7 bytes is over the limit of 4 bytes.",
          data: { size: 7, limit: 4 },
        },
      },
    ]);
    expect(splitter.end()).toBeUndefined();
  });

  it("goes on after invalid UTF-8 and invalid JSON", () => {
    const stream = Uint8Array.from([0xff, 0x0a, 0x7b, 0x0a, 0x31, 0x0a]);
    expect(new LineSplitter().push(stream).map(decode)).toMatchObject([
      { ok: false, error: { code: "parse_error" } },
      { ok: false, error: { code: "parse_error" } },
      { ok: true, value: 1 },
    ]);
  });

  it.each([
    ["nowhere", "", undefined],
    ["after a line", "1\n", undefined],
    ["after blanks", "1\n \r", undefined],
    ["inside a line", '1\n{"a"', "The stream ended after 4 bytes of a line, before its newline."],
    ["inside a line that was refused", "0123456789abc", undefined],
  ])("reports a stream that ends %s", (_, text, message) => {
    const splitter = new LineSplitter(9);
    splitter.push(encodeUtf8(text));
    const error = splitter.end();
    expect(error?.message).toBe(message);
    expect(error?.code).toBe(message && "connection_lost");
  });
});

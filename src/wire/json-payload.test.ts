import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { IPCError, IPCMessageSizeError } from "./errors.ts";
import { encodeJson, MAX_MESSAGE_BYTES, parseJson } from "./json-payload.ts";
import { decodeUtf8, encodeUtf8 } from "./utf8.ts";

const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes);

function errorIn(bytes: Uint8Array) {
  const parsed = parseJson(bytes);
  if (parsed.ok) throw new Error("was parsed");
  return parsed.error;
}

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error("threw nothing");
}

describe("encodeJson", () => {
  it("survives a round trip through parseJson for any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        const parsed = parseJson(encodeJson(value));
        expect(parsed.ok && JSON.stringify(parsed.value)).toBe(JSON.stringify(value));
      }),
    );
  });

  it("keeps strings of any code units, lone surrogates and line separators among them", () => {
    const unit = fc.oneof(
      fc.nat(0xffff).map((code) => String.fromCharCode(code)),
      fc.constantFrom(
        "\u2028",
        "\u2029",
        "\uD800",
        "\uDC00",
        "\uFEFF",
        "\0",
        "\n",
        "\r",
        '"',
        "\\",
      ),
    );
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        expect(parseJson(encodeJson([text, { [text]: text }]))).toEqual({
          ok: true,
          value: [text, { [text]: text }],
        });
      }),
    );
  });

  it("escapes U+2028 and U+2029 in values and in names", () => {
    expect(decodeUtf8(encodeJson({ "a\u2028b": "\u2029\u2029" }))).toBe(
      String.raw`{"a\u2028b":"\u2029\u2029"}`,
    );
  });

  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;
  it.each([
    ["undefined", undefined, "it is of type undefined"],
    ["a function", () => 1, "it is of type function"],
    ["a symbol", Symbol("s"), "it is of type symbol"],
    ["a BigInt", { n: 1n }, "BigInt"],
    ["a cycle", cyclic, "circular structure to JSON --> starting at"],
    [
      "a toJSON that throws",
      {
        toJSON() {
          throw new Error("not\u001b[31m today");
        },
      },
      String.raw`not\u{1b}[31m today`,
    ],
  ])("refuses %s and says why", (_, value, words) => {
    const error = thrownBy(() => encodeJson(value));
    expect(error).toBeInstanceOf(IPCError);
    expect(error).toMatchObject({ code: "not_serialisable" });
    expect((error as Error).message).toContain(words);
    expect((error as Error).message).not.toContain("\n");
  });

  it("refuses a value that is nested too deeply to be written", () => {
    const depth = 200_000;
    const parsed = parseJson(encodeUtf8("[".repeat(depth) + "]".repeat(depth)));
    expect(parsed.ok).toBe(true);
    const error = thrownBy(() => encodeJson(parsed.ok && parsed.value));
    expect(error).toMatchObject({ code: "not_serialisable" });
  });

  it("accepts the exact maximum and refuses one byte more", () => {
    expect(encodeJson("x".repeat(MAX_MESSAGE_BYTES - 2))).toHaveLength(MAX_MESSAGE_BYTES);
    const error = thrownBy(() => encodeJson("x".repeat(MAX_MESSAGE_BYTES - 1)));
    expect(error).toBeInstanceOf(IPCMessageSizeError);
    expect(error).toMatchObject({
      code: "message_too_large",
      data: { size: MAX_MESSAGE_BYTES + 1, limit: MAX_MESSAGE_BYTES },
    });
  });

  it("counts bytes, not characters", () => {
    expect(encodeJson("ééé", 8)).toHaveLength(8);
    expect(thrownBy(() => encodeJson("ééé", 7))).toMatchObject({ data: { size: 8, limit: 7 } });
  });
});

describe("parseJson", () => {
  it("says where UTF-8 is invalid and shows how the message begins", () => {
    const error = errorIn(bytesOf(0x22, 0x61, 0xff, 0x22));
    expect(error.code).toBe("parse_error");
    expect(error.message).toBe('Invalid UTF-8 at byte 2 of 4. The message begins: "a\uFFFD"');
  });

  it("passes on the words of the JSON parser", () => {
    const error = errorIn(encodeUtf8('{"a": 1 "b": 2}'));
    expect(error.code).toBe("parse_error");
    expect(error.message).toContain("Invalid JSON: Expected ',' or '}'");
    expect(error.message).toContain('The message begins: {"a": 1 "b": 2}');
  });

  it("calls an empty message invalid JSON", () => {
    expect(errorIn(bytesOf()).message).toBe(
      "Invalid JSON: Unexpected end of JSON input. The message is empty.",
    );
  });

  it("refuses a byte order mark and shows it", () => {
    expect(errorIn(bytesOf(0xef, 0xbb, 0xbf, 0x31)).message).toContain(String.raw`\u{feff}1`);
  });

  it("keeps its message short and free of what a terminal would obey", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
        const obeyed = [0x1b, 0x5d, 0xc2, 0x9b, 0x0a, 0xe2, 0x80, 0xae];
        const bytes = new Uint8Array(5_000).fill(0x1b);
        bytes.set([...obeyed, ...noise]);
        const { message } = errorIn(bytes);
        expect(message).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
        expect(message.length).toBeLessThan(1_000);
      }),
    );
  });

  it("never throws", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(typeof parseJson(bytes).ok).toBe("boolean");
      }),
    );
  });

  it("makes a name like __proto__ a plain property", () => {
    const parsed = parseJson(encodeUtf8('{"__proto__":{"admin":true}}'));
    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(["__proto__"]);
    expect((parsed.ok && (parsed.value as { admin?: unknown }).admin) ?? "none").toBe("none");
  });
});

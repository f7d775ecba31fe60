import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PeekedFields } from "./peek-fields.ts";
import { peek } from "./peek-fields.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** What `JSON.parse` makes of it; undefined when that is no object. */
function parsed(text: string): PeekedFields | undefined {
  const value: unknown = JSON.parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { jsonrpc, id, method, params, ...rest } = value as Record<string, unknown>;
  const name: unknown =
    typeof params === "object" && params !== null ? Reflect.get(params, "name") : undefined;
  return { jsonrpc, id, method, name, answers: "result" in rest || "error" in rest };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const space = fc.string({ unit: fc.constantFrom(" ", "\t", "\r", "\n"), maxLength: 3 });

/** A string as JSON, with some of its characters escaped that need not be. */
const written = (text: string): fc.Arbitrary<string> =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((escaped) =>
      [...Array(text.length).keys()]
        .map((at) =>
          escaped[at]
            ? `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`
            : JSON.stringify(text[at]).slice(1, -1),
        )
        .join(""),
    )
    .map((inside) => `"${inside}"`);

const anyText = fc.oneof(
  fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
  fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", "é", "😀") }),
);
const plain = fc.oneof(
  anyText.map((text) => JSON.stringify(text)),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.constantFrom("true", "false", "null", "1E5", "-0", "1.5e-3"),
);
const anyValue = fc.oneof(
  plain,
  fc.jsonValue().map((value) => JSON.stringify(value, null, 1)),
);

const object = (fields: fc.Arbitrary<[string, string]>): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fields, space, space, space, space), { maxLength: 8 })
    .map((all) => all.map(([[key, value], a, b, c, d]) => `${a}${key}${b}:${c}${value}${d}`))
    .chain((all) => space.map((inside) => `{${all.length > 0 ? all.join(",") : inside}}`));

const field = (
  keys: fc.Arbitrary<string>,
  value: fc.Arbitrary<string>,
): fc.Arbitrary<[string, string]> => fc.tuple(keys.chain(written), value);

const params = object(
  fc.oneof(
    field(fc.constant("name"), plain),
    field(fc.oneof(fc.constant("arguments"), anyText), anyValue),
  ),
);

/** Any order, with repetitions: a field may be there twice, and then the last one counts. */
const message = fc
  .tuple(
    space,
    object(
      fc.oneof(
        field(fc.constantFrom("jsonrpc", "id", "method"), plain),
        field(fc.constant("params"), fc.oneof({ weight: 3, arbitrary: params }, anyValue)),
        field(fc.oneof(fc.constantFrom("result", "error"), anyText), anyValue),
      ),
    ),
    space,
  )
  .map((parts) => parts.join(""));

describe("[IPC-30] peek", () => {
  it("returns the fields that JSON.parse returns, in any order, with any spaces, escapes and repetitions", () => {
    fc.assert(
      fc.property(message, (text) => {
        expect(peek(bytesOf(text))).toEqual(parsed(text));
      }),
      { numRuns: 2000 },
    );
  });

  it("returns undefined or agrees with JSON.parse on everything that JSON.parse accepts", () => {
    const broken = fc
      .tuple(
        message,
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.constantFrom("", '"', "{", "}", ",", "\\", "0"),
      )
      .map(([text, at, cut, put]) => {
        const start = at % (text.length + 1);
        return (text.slice(0, start) + put + text.slice(start + cut)).toWellFormed();
      });
    fc.assert(
      fc.property(broken, (text) => {
        fc.pre(isJson(text));
        expect([undefined, parsed(text)]).toContainEqual(peek(bytesOf(text)));
      }),
      { numRuns: 2000 },
    );
  });

  it("never throws on arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(() => peek(bytes)).not.toThrow();
      }),
    );
  });

  it.each([
    ["nothing", ""],
    ["an array", '[{"id":1}]'],
    ["a word", "null"],
    ["two objects", '{"id":1}{"id":2}'],
    ["no end", '{"id":1'],
    ["a string without an end", '{"a":"\\"}'],
    ["a nested value without an end", '{"a":[{}'],
    ["a field without a value", '{"a":}'],
    ["a field without a colon", '{"a" 1}'],
    ["a comma at the end", '{"a":1,}'],
    ["a name without quotes", "{a:1}"],
    ["a word that is none, where it matters", '{"id":nul}'],
    ["invalid UTF-8 where it matters", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
  ])("returns undefined for %s", (_, text) => {
    expect(peek(typeof text === "string" ? bytesOf(text) : text)).toBeUndefined();
  });

  it.each(["id", "method", "jsonrpc"])("returns undefined when %s is not a plain value", (key) => {
    expect(peek(bytesOf(`{"${key}":{"a":[1]}}`))).toBeUndefined();
  });

  it("looks no deeper than it has to", () => {
    const text = '{"result":{"id":9,"method":"no","params":{"name":"no"}},"jsonrpc":"2.0","id":3}';
    expect(peek(bytesOf(text))).toEqual({ jsonrpc: "2.0", id: 3, answers: true });
  });

  it("reads a view into larger memory", () => {
    const whole = bytesOf('xx{"id":7}yy');
    expect(peek(whole.subarray(2, -2))).toEqual({ id: 7, answers: false });
  });

  it("is linear in strings full of backslashes and quotes", () => {
    const text = JSON.stringify({ a: '\\"'.repeat(1_000_000), id: 1 });
    const begin = performance.now();
    expect(peek(bytesOf(text))?.id).toBe(1);
    expect(performance.now() - begin).toBeLessThan(5000);
  });
});

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { JsonObjectSchema, JsonValueSchema, MAX_JSON_DEPTH } from "./json.ts";

const nested = (levels: number): unknown => JSON.parse("[".repeat(levels) + "]".repeat(levels));

test("every JSON value is accepted and handed on as it is", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JsonValueSchema.parse(value)).toBe(value);
    }),
  );
});

test.each([
  ["undefined", undefined],
  ["a function", () => 1],
  ["a BigInt", 1n],
  ["an infinite number", JSON.parse("1e999")],
  ["NaN", Number.NaN],
  ["an undefined field", { a: undefined }],
  ["a BigInt far down", { a: [{ b: 1n }] }],
])("%s is no JSON value", (_, value) => {
  expect(JsonValueSchema.safeParse(value).success).toBe(false);
});

test("a value may nest as deep as the limit and no deeper", () => {
  expect(JsonValueSchema.safeParse(nested(MAX_JSON_DEPTH)).success).toBe(true);
  expect(JsonValueSchema.safeParse(nested(MAX_JSON_DEPTH + 1)).success).toBe(false);
});

test("what nests a million levels deep, or for ever, is refused and does not overflow the stack", () => {
  const endless: Record<string, unknown> = {};
  endless["left"] = endless;
  endless["right"] = endless;
  for (const value of [nested(1_000_000), endless]) {
    const result = JsonValueSchema.safeParse(value);
    expect(result.error?.issues[0]?.message).toBe(
      "expected a JSON value, nested at most 512 levels deep",
    );
  }
});

test("an object is neither an array nor null", () => {
  expect(JsonObjectSchema.safeParse({}).success).toBe(true);
  for (const value of [[], null, "x", 1, undefined]) {
    expect(JsonObjectSchema.safeParse(value).error?.issues[0]?.message).toBe("expected an object");
  }
});

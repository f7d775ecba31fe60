import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonValue } from "./json.ts";
import { isSameJson, MAX_JSON_DEPTH } from "./json.ts";
import { JsonObjectSchema, JsonValueSchema } from "./json-schemas.ts";

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

test("a value that nests a million levels deep, or endlessly, is refused without a stack overflow", () => {
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

const deep = (): JsonValue => ({ a: [1, { b: null }], c: "x" });

test("isSameJson compares values as their JSON does, whatever the order of keys", () => {
  expect(isSameJson(deep(), { c: "x", a: [1, { b: null }] })).toBe(true);
  for (const other of [null, [], {}, "x", { a: [1, { b: null }], d: "x" }, { a: [{}, 1], c: "x" }])
    expect(isSameJson(deep(), other)).toBe(false);
  expect([isSameJson([], {}), isSameJson(["x"], { 0: "x" })]).toEqual([false, false]);
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const [a, b] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))];
      expect(isSameJson(a, b)).toBe(isDeepStrictEqual(a, b));
      expect(isSameJson(a, structuredClone(a))).toBe(true);
    }),
  );
});

import { describe, expect, test } from "vitest";
import * as z from "zod";
import { chooseValidator } from "./choose-validator.ts";
import type { SchemaSource } from "./choose-validator.ts";
import { describeViolations } from "./validator.ts";

async function toldBy(source: SchemaSource, value: unknown): Promise<string> {
  const result = await chooseValidator(source, "input").validate(value);
  return result.ok
    ? `fits: ${JSON.stringify(result.value)}`
    : describeViolations(result.violations);
}

const order = {
  type: "object",
  properties: {
    items: {
      type: "array",
      items: {
        type: "object",
        properties: { sku: { type: "string" }, count: { type: "integer", minimum: 1 } },
        required: ["sku"],
        additionalProperties: false,
      },
    },
    size: { enum: ["s", "l"] },
    kind: { const: "order" },
    mail: { type: "string", format: "email" },
    "odd key/x": { type: "boolean" },
  },
  required: ["items"],
} as const;

const tuple = (type: string) => ({
  $schema: "http://json-schema.org/draft-07/schema#",
  $id: "https://example.com/pair",
  type: "object" as const,
  properties: { pair: { type: "array", items: [{ type }] } },
});

describe("a JSON Schema", () => {
  // Each violation names the path and the rule.
  test.each([
    [{ items: [] }, 'fits: {"items":[]}'],
    [{}, "items: is missing"],
    [[], "must be object"],
    [{ items: [{ sku: "a" }, { count: 1 }] }, "items[1].sku: is missing"],
    [{ items: [{ sku: 7 }] }, "items[0].sku: must be string"],
    [{ items: [{ sku: "a", count: 0 }] }, "items[0].count: must be >= 1"],
    [{ items: [{ sku: "a", colour: "red" }] }, "items[0].colour: is not a known field"],
    [{ items: [], size: "m" }, 'size: must be one of ["s","l"]'],
    [{ items: [], kind: 1 }, 'kind: must be "order"'],
    [{ items: [], mail: "nobody" }, 'mail: must match format "email"'],
    [{ items: [], "odd key/x": 1 }, '["odd key/x"]: must be boolean'],
    [{ items: [{}], size: "m" }, 'items[0].sku: is missing; size: must be one of ["s","l"]'],
  ])("validates %j", async (value, told) => {
    expect(await toldBy(order, value)).toBe(told);
  });

  test("names a field that no part of the schema has", async () => {
    const source = {
      type: "object",
      allOf: [{ properties: { a: true } }],
      unevaluatedProperties: false,
    } as const;
    expect(await toldBy(source, { a: 1, b: 2 })).toBe("b: is not a known field");
  });

  test("may be of draft-07, and two may share one $id", async () => {
    expect(await toldBy(tuple("string"), { pair: [1] })).toBe("pair[0]: must be string");
    expect(await toldBy(tuple("number"), { pair: ["a"] })).toBe("pair[0]: must be number");
  });

  test("validates by the original schema when the object is changed later", async () => {
    const source = { type: "object" as const, required: ["a"] };
    const { schema, validate } = chooseValidator(source, "input");
    source.required.pop();
    expect(schema).toEqual({ type: "object", required: ["a"] });
    expect(await validate({})).toEqual({
      ok: false,
      violations: [{ path: "a", rule: "is missing" }],
    });
  });
});

describe("a zod schema", () => {
  const person = z.object({
    name: z
      .string()
      .min(1)
      .transform((name) => name.trim()),
    age: z.number().default(30),
    mode: z.enum(["fast", "slow"]).optional(),
    tags: z.array(z.string()).optional(),
  });

  test.each([
    [{ name: " Ada " }, 'fits: {"name":"Ada","age":30}'],
    [{ name: "Ada", more: 1 }, 'fits: {"name":"Ada","age":30}'],
    [{}, "name: is missing"],
    [{ name: 1 }, "name: expected string, received number"],
    [
      { name: "", tags: ["a", 2] },
      "name: Too small: expected string to have >=1 characters; tags[1]: expected string, received number",
    ],
    [{ name: "Ada", mode: "odd" }, 'mode: expected one of "fast"|"slow"'],
  ])("validates %j", async (value, told) => {
    expect(await toldBy(person, value)).toBe(told);
  });

  const point = z.object({ x: z.number(), y: z.number() });
  const shape = z.object({
    at: z.union([z.string(), point]).optional(),
    size: z.union([z.number().min(1), z.literal("auto")]).optional(),
    near: z.object({ any: z.array(z.union([z.string(), z.union([z.null(), point])])) }).optional(),
    kind: z
      .discriminatedUnion("of", [
        z.object({ of: z.literal("dot") }),
        point.extend({ of: z.literal("box") }),
      ])
      .optional(),
    own: z.union([z.string(), z.number()], "must be a word or a number").optional(),
    named: z.record(z.string().min(2), z.number()).optional(),
    needed: z.union([z.string(), z.number()]),
  });

  test.each([
    [{ needed: undefined }, "needed: is missing"],
    [{ at: true }, "at: expected string, received boolean or expected object, received boolean"],
    [{ at: { x: 1 } }, "at: expected string, received object or at.y: is missing"],
    [{ size: "big" }, 'size: expected number, received string or expected "auto"'],
    [
      { near: { any: ["a", 1] } },
      "near.any[1]: expected string, received number or expected null, received number or expected object, received number",
    ],
    [
      { near: { any: [{ x: 1, y: "2" }] } },
      "near.any[0]: expected string, received object or expected null, received object or near.any[0].y: expected number, received string",
    ],
    [{ kind: { of: "box", x: 1 } }, "kind.y: is missing"],
    [{ kind: { of: "line" } }, "kind.of: Invalid discriminator value. Expected 'dot' | 'box'"],
    [{ own: true }, "own: must be a word or a number"],
    [
      { named: { a: 1 } },
      "named.a: Invalid key in record: Too small: expected string to have >=2 characters",
    ],
  ])("reports for %j the rule of each alternative", async (value, told) => {
    expect(await toldBy(shape, { needed: "n", ...value })).toBe(told);
  });

  test("is announced in its input form or its output form", () => {
    expect(chooseValidator(person, "input").schema).toMatchObject({ required: ["name"] });
    const grown = z.object({ age: z.number().default(30) });
    expect(chooseValidator(grown, "output").schema).toEqual({
      type: "object",
      properties: { age: { type: "number", default: 30 } },
      required: ["age"],
      additionalProperties: false,
    });
  });

  test("may validate asynchronously", async () => {
    const source = z.object({ id: z.string().refine(async (id) => id === "known", "is unknown") });
    expect(await toldBy(source, { id: "known" })).toBe('fits: {"id":"known"}');
    expect(await toldBy(source, { id: "other" })).toBe("id: is unknown");
  });
});

test("describeViolations lists at most the given number", () => {
  const violations = Array.from({ length: 7 }, (_, index) => ({ path: `[${index}]`, rule: "bad" }));
  expect(describeViolations(violations, 2)).toBe("[0]: bad; [1]: bad; and 5 more");
});

test("[SES-85] a field that is named like a member of every object is missing when it is not given", async () => {
  const properties = { x: { type: "string" }, constructor: { type: "string" } };
  const schema = { type: "object" as const, properties, required: ["x"] };
  expect(await toldBy(schema, { x: "a" })).toBe('fits: {"x":"a"}');
  expect(await toldBy(schema, { x: "a", constructor: 1 })).toBe("constructor: must be string");
  expect(await toldBy({ ...schema, required: ["constructor"] }, {})).toBe(
    "constructor: is missing",
  );
});

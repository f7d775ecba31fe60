import { expect, test } from "vitest";
import { inOrder } from "./key-order.ts";

test("keywords stand in one order, properties as written, definitions by name", () => {
  const schema = {
    $defs: { B: { type: "string" }, A: {} },
    required: ["type"],
    minProperties: 1,
    maxProperties: 2,
    properties: { type: { enum: ["z", "a"], type: "string", description: "x" }, $id: {} },
    oneOf: [{ required: ["a"], type: "object" }],
    title: "T",
    $schema: "s",
  };
  const lines = JSON.stringify(inOrder(schema), null, 1);
  expect(JSON.parse(lines)).toEqual(schema);
  expect([...lines.matchAll(/"([$\w]+)":/g)].map(([, key]) => key)).toEqual([
    "$schema",
    "title",
    "maxProperties",
    "minProperties",
    "properties",
    "type",
    "description",
    "type",
    "enum",
    "$id",
    "required",
    "oneOf",
    "type",
    "required",
    "$defs",
    "A",
    "B",
    "type",
  ]);
});

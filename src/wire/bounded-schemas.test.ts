import { expect, test } from "vitest";
import * as z from "zod";
import { atMost, textWithin } from "./bounded-schemas.ts";

const accepts = (text: string): boolean => textWithin(12).safeParse(text).success;

test("a text is measured in bytes of UTF-8, and the exact maximum is accepted", () => {
  for (const character of ["a", "é", "語", "😀"]) {
    const size = Buffer.byteLength(character);
    expect(accepts(character.repeat(12 / size))).toBe(true);
    expect(accepts(character.repeat(12 / size) + "a")).toBe(false);
  }
});

test("too many items are refused before any of them is read", () => {
  let read = 0;
  const item = z.number().refine(() => (read += 1));
  const schema = atMost(3, z.array(item));
  expect(schema.parse([1, 2, 3])).toEqual([1, 2, 3]);
  expect(read).toBe(3);
  expect(schema.safeParse([1, 2, 3, 4]).error?.issues).toMatchObject([
    { message: "expected at most 3 items, received 4" },
  ]);
  expect(read).toBe(3);
});

test("the bounds stand in the JSON Schema", () => {
  const schema = z.object({
    text: textWithin(12),
    list: atMost(3, z.array(z.number())),
    map: atMost(4, z.record(z.string(), z.number())),
  });
  expect(z.toJSONSchema(schema, { io: "input" }).properties).toMatchObject({
    text: { maxLength: 12 },
    list: { maxItems: 3 },
    map: { maxProperties: 4 },
  });
});

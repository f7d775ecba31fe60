import { assert, property, string, uuid } from "fast-check";
import { expect, test } from "vitest";
import { uuidOf } from "./message-id.ts";

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const text = string({ minLength: 1 });

test("uuidOf returns a UUID unchanged, and derives one from any other text", () => {
  const isItself = property(uuid(), (id) => {
    expect(uuidOf(id)).toBe(id);
  });
  const follows = property(text, text, (one, other) => {
    expect(uuidOf(one)).toMatch(form);
    expect(uuidOf(one) === uuidOf(other)).toBe(one === other);
  });
  assert(isItself);
  assert(follows);
  expect(uuidOf("A0A0A0A0-0000-4000-8000-000000000000")).toMatch(form);
});

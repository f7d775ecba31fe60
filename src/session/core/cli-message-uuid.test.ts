import { assert, property, string, uuid } from "fast-check";
import { expect, test } from "vitest";
import { cliUuidOf } from "./cli-message-uuid.ts";

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const text = string({ minLength: 1 });

test("cliUuidOf returns a UUID unchanged, and derives one from any other text", () => {
  const isItself = property(uuid(), (id) => {
    expect(cliUuidOf(id)).toBe(id);
  });
  const follows = property(text, text, (one, other) => {
    expect(cliUuidOf(one)).toMatch(form);
    expect(cliUuidOf(one) === cliUuidOf(other)).toBe(one === other);
  });
  assert(isItself);
  assert(follows);
  expect(cliUuidOf("A0A0A0A0-0000-4000-8000-000000000000")).toMatch(form);
});

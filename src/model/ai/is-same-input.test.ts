import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../wire/json.ts";
import { isSameInput } from "./is-same-input.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    city: { type: "string" },
    unit: { type: "string", default: "C" },
    days: { type: "array", items: { type: "object", properties: { day: { type: "string" } } } },
    more: { anyOf: [{ type: "object" }] },
  },
};
const berlin = { city: "Berlin", days: [{ day: "2026-01-02" }] };

test.each<[string, JsonValue, JsonValue]>([
  ["nothing", berlin, structuredClone(berlin)],
  ["the order of its keys", berlin, { days: [{ day: "2026-01-02" }], city: "Berlin" }],
  ["a default", berlin, { ...berlin, unit: "C" }],
  ["a key that the schema does not know", { ...berlin, x: 1 }, berlin],
  ["blanks and case", { city: " Berlin " }, { city: "berlin" }],
  ["a number for its text", { city: "5" }, { city: 5 }],
  ["a truth for its text", { city: "true" }, { city: true }],
  ["a date for its day", berlin, { ...berlin, days: [{ day: "2026-01-02T00:00:00.000Z" }] }],
  ["what the schema leaves open", { more: { a: 1 } }, { more: { a: 1, b: 2 } }],
])("%s is no edit", (_name, given, back) => {
  expect(isSameInput(given, back, schema)).toBe(true);
});

test.each<[string, JsonValue, JsonValue]>([
  ["another word", berlin, { ...berlin, city: "Bonn" }],
  ["another day", berlin, { ...berlin, days: [{ day: "2026-01-03" }] }],
  ["one day more", berlin, { ...berlin, days: [{ day: "2026-01-02" }, { day: "2026-01-03" }] }],
  ["a key less", berlin, { city: "Berlin" }],
  ["a key more, without a default", { city: "Berlin" }, berlin],
  ["a key more that nobody knows", berlin, { ...berlin, x: 1 }],
  ["another number", { city: 5 }, { city: 6 }],
  ["a list for a text", { city: "a,b" }, { city: ["a", "b"] }],
  ["nothing for a text", { city: "a" }, { city: null }],
  ["another value inside what is open", { more: { a: 1 } }, { more: { a: 2 } }],
])("%s is an edit", (_name, given, back) => {
  expect(isSameInput(given, back, schema)).toBe(false);
});

test("isSameInput without a schema compares only fields on both sides", () => {
  expect(isSameInput({ a: 1 }, { a: 1, b: 2 })).toBe(true);
  expect(isSameInput({ a: 1 }, { a: 2 })).toBe(false);
});

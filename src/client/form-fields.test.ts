import { expect, test } from "vitest";
import { fieldValue, formFields } from "./form-fields.ts";

const [text, count, size, agree, plain, titled, several, odd] = formFields({
  type: "object",
  properties: {
    name: { type: "string", title: "Your name", description: "As on the door.", format: "email" },
    count: { type: "integer", default: 2 },
    size: { type: "number" },
    agree: { type: "boolean" },
    plain: { type: "string", enum: ["a", "b"], enumNames: ["Aye", "Bee"] },
    titled: { type: "string", oneOf: [{ const: "x", title: "Ex" }, { const: "y" }] },
    several: { type: "array", items: { anyOf: [{ const: "1" }, { const: "2", title: "Two" }] } },
    odd: { type: "object" },
  },
  required: ["name", "plain"],
});

test("formFields reads every way in which MCP writes a field", () => {
  expect(text).toEqual({
    name: "name",
    title: "Your name",
    description: "As on the door.",
    isRequired: true,
    kind: "text",
    format: "email",
    options: [],
  });
  expect(count).toMatchObject({ title: "count", isRequired: false, initial: 2, kind: "integer" });
  expect([size?.kind, agree?.kind, odd?.kind]).toEqual(["number", "boolean", "json"]);
  expect(plain).toMatchObject({ kind: "choice", options: [{ label: "Aye" }, { label: "Bee" }] });
  expect(titled?.options).toEqual([
    { value: "x", label: "Ex" },
    { value: "y", label: "y" },
  ]);
  expect(several).toMatchObject({ kind: "choices", options: [{ value: "1" }, { label: "Two" }] });
  expect(formFields({ properties: { broken: 7 } })).toEqual([]);
});

test("fieldValue reads what a person writes, and an empty line is the default or nothing", () => {
  expect(fieldValue(text!, " Ann ")).toBe(" Ann ");
  expect(fieldValue(count!, "3")).toBe(3);
  expect([fieldValue(count!, ""), fieldValue(size!, "")]).toEqual([2, undefined]);
  expect([fieldValue(agree!, "Yes"), fieldValue(agree!, "n")]).toEqual([true, false]);
  expect([fieldValue(plain!, "2"), fieldValue(plain!, "Aye")]).toEqual(["b", "a"]);
  // A value comes before the number of a place.
  expect(fieldValue(several!, "2, 1")).toEqual(["2", "1"]);
  expect(fieldValue(odd!, '{"a":1}')).toEqual({ a: 1 });
});

test.each([
  [text, "", "Your name is needed."],
  [count, "1.5", "count is a whole number."],
  [size, "much", "size is a number."],
  [agree, "perhaps", "agree is yes or no."],
  [plain, "3", "plain is one of: a, b."],
  [odd, "{", "odd is JSON."],
])("fieldValue refuses what cannot be a value of the field", (field, line, message) => {
  expect(() => fieldValue(field!, line)).toThrow(
    expect.objectContaining({ code: "invalid_params", message }),
  );
});

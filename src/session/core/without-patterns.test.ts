import { expect, test } from "vitest";
import { makeToolHost } from "./offers/make-tool-host.ts";
import { withoutPatterns } from "./without-patterns.ts";

test("withoutPatterns leaves out regular expressions and what depends on them, and keeps data as it is", () => {
  const schema = {
    type: "object",
    properties: { text: { type: "string", pattern: "^(a+)+$", minLength: 1 } },
    patternProperties: { "^x": {} },
    additionalProperties: false,
    allOf: [{ properties: { code: { pattern: "b" } }, additionalProperties: false }],
    const: { pattern: "kept" },
  };
  expect(withoutPatterns(schema)).toEqual({
    type: "object",
    properties: { text: { type: "string", minLength: 1 } },
    allOf: [{ properties: { code: {} }, additionalProperties: false }],
    const: { pattern: "kept" },
  });
});

test("[SES-85] the session does not run a regular expression of an offered tool, and the model reads it", async () => {
  const input_schema = {
    type: "object",
    properties: { text: { type: "string", pattern: "^(a+)+$" } },
    required: ["text"],
  };
  const tool = { name: "t", description: "d", input_schema, timeout_ms: 1000 };
  const { tools } = await makeToolHost("n", [tool], async () => ({
    type: "tool_return",
    call: "c",
    is_error: false,
  }));
  const [made] = tools;
  expect(made?.schema.input_schema).toEqual(input_schema);
  // With the pattern this would take years.
  expect(await made?.input.validate({ text: `${"a".repeat(50)}!` })).toMatchObject({ ok: true });
  expect(await made?.input.validate({})).toMatchObject({ ok: false });
  const broken = { ...input_schema, properties: { text: { type: "string", pattern: "(" } } };
  await expect(
    makeToolHost("n", [{ ...tool, input_schema: broken }], async () => ({
      type: "tool_return",
      call: "c",
      is_error: false,
    })),
  ).rejects.toMatchObject({ code: "tool_invalid" });
});

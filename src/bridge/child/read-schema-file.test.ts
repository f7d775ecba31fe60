import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { tempDir } from "../../../test/support/temp-dir.ts";
import { BridgeStartupError } from "../../wire/errors.ts";
import { parseToolSchemaFile } from "../../wire/tool-schema-file.ts";
import { readToolFile } from "./read-schema-file.ts";

const add = { name: "add", description: "Adds.", input_schema: { type: "object" } };

function written(text: string): string {
  const path = join(tempDir(), "schema.json");
  writeFileSync(path, text);
  return path;
}

const read = (tools: unknown) => readToolFile(written(JSON.stringify(tools)));

function isToolFile(path: string): boolean {
  try {
    return readToolFile(path).tools.length >= 0;
  } catch {
    return false;
  }
}

describe("a schema file", () => {
  it("[IPC-17] [IPC-18] becomes the tools of tools/list", () => {
    const full = {
      ...add,
      name: "full",
      title: "Full",
      output_schema: { type: "object", properties: {} },
      annotations: { readOnlyHint: true },
      idempotent: true,
      _meta: { "anthropic/alwaysLoad": true },
      something_else: 1,
    };
    const { tools, idempotent } = read([add, full]);
    expect(JSON.parse(JSON.stringify(tools))).toEqual([
      { name: "add", description: "Adds.", inputSchema: { type: "object" } },
      {
        name: "full",
        title: "Full",
        description: "Adds.",
        inputSchema: { type: "object" },
        outputSchema: { type: "object", properties: {} },
        annotations: { readOnlyHint: true },
        _meta: { "anthropic/alwaysLoad": true },
      },
    ]);
    expect([...idempotent]).toEqual(["full"]);
  });

  it("[IPC-18] gets the type `object` where its schema omits it", () => {
    const { tools } = read([{ ...add, input_schema: { properties: { a: {} } } }]);
    expect(tools[0]?.inputSchema).toEqual({ type: "object", properties: { a: {} } });
  });

  it("[IPC-17] may be empty, pretty, and end in a newline", () => {
    expect(read([]).tools).toEqual([]);
    const pretty = readToolFile(written(`\r\n${JSON.stringify([add], null, 2)}\n\n`));
    expect(pretty.tools).toHaveLength(1);
  });

  it.each([
    ["no JSON", "[{", "JSON"],
    ["no array", '{"tools":[]}', "the file: expected an array"],
    ["a tool that is no object", "[null]", "[0]: expected an object"],
    ["no name", '[{"description":""}]', "[0].name: expected a name"],
    ["an empty name", '[{"name":"","description":""}]', "[0].name: expected a name"],
    ["no description", '[{"name":"a"}]', "[0].description: expected a string"],
    ["no schema", '[{"name":"a","description":""}]', "[0].input_schema: expected a JSON Schema"],
    [
      "a schema of strings",
      '[{"name":"a","description":"","input_schema":{"type":"string"}}]',
      '[0].input_schema.type: expected "object"',
    ],
    [
      "an output schema of strings",
      '[{"name":"a","description":"","input_schema":{},"output_schema":{"type":"string"}}]',
      '[0].output_schema.type: expected "object"',
    ],
    ["a name twice", JSON.stringify([add, add]), "[1].name: expected a new name"],
    ["more than it may hold", `[]${" ".repeat(10_485_760)}`, "at most 10485760 characters"],
  ])("[IPC-8] is refused with %s", (_, text, why) => {
    const path = written(text);
    expect(() => readToolFile(path)).toThrow(BridgeStartupError);
    expect(() => readToolFile(path)).toThrow(`The schema file ${path} is not a list of tools: `);
    expect(() => readToolFile(path)).toThrow(why);
  });

  it("[IPC-8] is refused when it is not there, or is a directory", () => {
    const directory = tempDir();
    for (const path of [directory, join(directory, "none.json")]) {
      expect(() => readToolFile(path)).toThrow(BridgeStartupError);
      expect(() => readToolFile(path)).toThrow(`The schema file ${path} cannot be read: E`);
    }
  });

  it("[IPC-17] is accepted and refused exactly as by the wire's schema", () => {
    const objectSchema = fc.oneof(
      fc.constant({ type: "object", properties: {} }),
      fc.constantFrom<unknown>({ type: "string" }, "no schema", undefined),
    );
    const tool = fc.record(
      {
        name: fc.oneof(fc.constantFrom<unknown>("a", "b", "", 7), fc.string()),
        description: fc.oneof(fc.string(), fc.constant<unknown>(null)),
        input_schema: objectSchema,
        output_schema: objectSchema,
        idempotent: fc.boolean(),
      },
      { requiredKeys: ["name", "description", "input_schema"] },
    );
    fc.assert(
      fc.property(fc.array(tool, { maxLength: 3 }), (tools) => {
        const file: unknown = JSON.parse(JSON.stringify(tools));
        const path = written(JSON.stringify(tools));
        expect(isToolFile(path)).toBe(parseToolSchemaFile(file).ok);
      }),
      { numRuns: 200 },
    );
  });
});

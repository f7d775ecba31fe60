import { describe, expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import { ClaudeCodeError, IPCError } from "../../wire/errors.ts";
import type { JsonObject } from "../../wire/json.ts";
import { parseToolSchemaFile } from "../../wire/tool-schema-file.ts";
import { content } from "./make-mcp-content.ts";
import type { ToolDefinition } from "./define-tool.ts";
import { defineTool } from "./define-tool.ts";
import { ToolSet } from "./tool-set.ts";

const plain = { description: "d", input: z.object({}), handler: () => null };
const named = (name: string) => defineTool({ ...plain, name });

test("defineTool announces all that the author specified", () => {
  const tool = defineTool({
    name: "book",
    description: "TeamRecords a table.",
    title: "Book a table",
    input: z.object({ at: z.string() }),
    output: { type: "object", properties: { id: { type: "string" } } },
    annotations: { destructiveHint: false },
    idempotent: true,
    timeoutMs: 1_000,
    meta: { "anthropic/maxResultSizeChars": 100_000 },
    handler: () => ({ id: "t1" }),
  });
  expect(tool).toMatchObject({ name: "book", timeoutMs: 1_000 });
  expect(tool.schema).toEqual({
    name: "book",
    description: "TeamRecords a table.",
    title: "Book a table",
    input_schema: { type: "object", properties: { at: { type: "string" } }, required: ["at"] },
    output_schema: { type: "object", properties: { id: { type: "string" } } },
    annotations: { destructiveHint: false },
    idempotent: true,
    _meta: { "anthropic/maxResultSizeChars": 100_000 },
  });
  expect(parseToolSchemaFile([tool.schema]).ok).toBe(true);
});

test("defineTool omits what the author omitted", () => {
  expect(Object.keys(named("a").schema)).toEqual(["name", "description", "input_schema"]);
});

describe("types are inferred", () => {
  test("from zod, after defaults and transforms", () => {
    defineTool({
      name: "a",
      description: "d",
      input: z.object({ n: z.string().transform(Number), m: z.number().default(1) }),
      output: z.object({ sum: z.number() }),
      handler: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number; m: number }>();
        return args.n > 0 ? { sum: args.n + args.m } : content.error("n is not positive");
      },
    });
    type Bad = ToolDefinition<z.ZodObject, z.ZodObject<{ sum: z.ZodNumber }>>["handler"];
    expectTypeOf(async () => ({ sum: "1" })).not.toExtend<Bad>();
    expectTypeOf(async () => ({ sum: 1 })).toExtend<Bad>();
  });

  test("from a JSON Schema only that the arguments are JSON, unless the author says more", () => {
    defineTool({
      name: "a",
      description: "d",
      input: { type: "object", properties: { n: { type: "number" } } },
      handler: (args) => expectTypeOf(args).toEqualTypeOf<JsonObject>(),
    });
    defineTool({
      name: "a",
      description: "d",
      input: { type: "object", properties: { n: { type: "number" } } },
      // Who knows better may say so.
      handler: ({ n }: { n: number }) => expectTypeOf(n).toEqualTypeOf<number>(),
    });
  });
});

describe("a definition that cannot work is refused", () => {
  // The first argument of a test's title must be short, so the words stand apart.
  test.each([
    ["an empty name", { name: "" }, '"" cannot be the name of a tool'],
    ["a name with other characters", { name: "a.b" }, '"a.b" cannot be the name'],
    ["a name that is too long", { name: "a".repeat(61) }, "cannot be the name"],
    ["no name", { name: undefined }, "cannot be the name"],
    ["a time-out of 0", { timeoutMs: 0 }, "is 0, not above 0"],
    ["a time-out beyond the timer", { timeoutMs: 2 ** 31 }, "at most 2147483647 ms"],
    ["an input that is no object", { input: z.string() }, 'root must be of type "object"'],
    ["a JSON Schema of no object", { input: { type: "array" } }, 'root must be of type "object"'],
    ["a JSON Schema that is none", { input: { type: "object", properties: 3 } }, "input schema of"],
    ["a JSON Schema that is judged later", { input: { type: "object", $async: true } }, "$async"],
    ["a value without JSON Schema", { input: z.object({ at: z.date() }) }, "Date cannot be"],
    ["an output that is no object", { output: z.array(z.string()) }, "The output schema of"],
    ["no handler", { handler: undefined }, "The handler of the tool a is not a function"],
    [
      "a handler that cannot be called",
      { handler: {} },
      "The handler of the tool a is not a function",
    ],
    ["no description", { description: undefined }, "tools[0].description: expected string"],
    ["a wrong annotation", { annotations: { readOnlyHint: "yes" } }, "annotations.readOnlyHint"],
  ])("%s", (_, wrong, words) => {
    const define = () => defineTool({ name: "a", ...plain, ...wrong } as never);
    expect(define).toThrow(ClaudeCodeError);
    expect(define).toThrow(expect.objectContaining({ code: "tool_invalid" }));
    expect(define).toThrow(words);
  });
});

describe("a set of tools", () => {
  const set = new ToolSet(["a", "b", "c"].map(named));

  test("finds a tool by name, and lists the existing names when it does not", () => {
    expect(set.get("b").name).toBe("b");
    expect(() => set.get("x")).toThrow(
      expect.objectContaining({
        name: "ToolNotFoundError",
        message: 'There is no tool "x". The tools are: a, b, c.',
        data: { name: "x", known: ["a", "b", "c"] },
      }),
    );
    expect(() => new ToolSet([]).get("x")).toThrow("There are no tools.");
    expect(() => set.get("constructor")).toThrow(IPCError);
  });

  test("can be narrowed, and the announcement with it", () => {
    const some = set.only(["c", "a", "c"]);
    expect(some.schemas.map(({ name }) => name)).toEqual(["c", "a"]);
    expect(() => some.get("b")).toThrow("The tools are: c, a.");
    expect(() => set.only(["a", "x"])).toThrow('There is no tool "x".');
  });

  test("refuses two tools of one name", () => {
    expect(() => new ToolSet([named("a"), named("a")])).toThrow("Two tools are named a.");
  });

  test.each([
    ["a definition", [named("a"), { ...plain, name: "b" }], "tools[1] is not a tool."],
    ["nothing", [null], "tools[0] is not a tool."],
    ["a tool by itself", named("a"), "The tools of a host must be an array."],
    ["no list", undefined, "The tools of a host must be an array."],
  ])("refuses %s", (_, tools, message) => {
    expect(() => new ToolSet(tools as never)).toThrow(
      expect.objectContaining({
        code: "tool_invalid",
        message,
        hint: expect.stringContaining("defineTool"),
      }),
    );
  });
});

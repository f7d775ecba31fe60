import { describe, expect, test } from "vitest";
import * as z from "zod";
import { content } from "../tool/make-mcp-content.ts";
import { defineTool } from "../tool/define-tool.ts";
import { toResult } from "./to-mcp-result.ts";

const tool = defineTool({ name: "t", description: "d", input: z.object({}), handler: () => null });
const counted = defineTool({
  name: "counted",
  description: "d",
  input: z.object({}),
  output: z.object({ n: z.number(), unit: z.string().default("kg") }),
  handler: () => ({ n: 1 }),
});

const texts = (...words: string[]) => words.map((text) => ({ type: "text", text }));
const sent = async (returned: unknown, by = tool): Promise<unknown> =>
  JSON.parse(JSON.stringify(await toResult(by, returned)));

describe("without an output schema", () => {
  test.each([
    ["nothing", undefined, ""],
    ["null", null, ""],
    ["a string", 'a "b"', 'a "b"'],
    ["an empty string", "", ""],
    ["a number", 3, "3"],
    ["false", false, "false"],
    ["an object", { a: [1] }, '{"a":[1]}'],
    ["an empty list", [], "[]"],
    ["a list of strings", ["a"], '["a"]'],
    ["what looks like content", [{ type: "text", text: "a" }], '[{"type":"text","text":"a"}]'],
    ["what looks like a result", { content: [], isError: true }, '{"content":[],"isError":true}'],
  ])("%s is one text", async (_, returned, text) => {
    expect(await sent(returned)).toEqual({ content: texts(text) });
  });

  test("content is passed on", async () => {
    const image = { type: "image", data: "AQ==", mimeType: "image/png" };
    expect(await sent(content.text("a"))).toEqual({ content: texts("a") });
    expect(await sent([content.text("a"), content.image("AQ==", "image/png")])).toEqual({
      content: [...texts("a"), image],
    });
  });

  test("a whole result is passed on, with isError and its other fields", async () => {
    const result = { content: texts("no"), isError: true, _meta: { a: 1 } };
    expect(await sent(content.result(result as never))).toEqual(result);
    expect(await sent(content.error("no"))).toEqual({ content: texts("no"), isError: true });
    const bare = { structuredContent: { a: 1 } };
    expect(await sent(content.result({ content: [], ...bare }))).toEqual({
      content: texts('{"a":1}'),
      ...bare,
    });
    expect(await sent(content.result({ content: [] }))).toEqual({ content: texts("") });
    const unsayable = content.result({
      content: texts("n") as never,
      structuredContent: { n: 1n },
    });
    await expect(sent(unsayable)).rejects.toMatchObject({ code: "tool_failed" });
  });
});

describe("with an output schema", () => {
  test("JSON is text and structured content, as the schema makes it", async () => {
    const structuredContent = { n: 2, unit: "kg" };
    expect(await sent({ n: 2, more: true }, counted)).toEqual({
      content: texts('{"n":2,"unit":"kg"}'),
      structuredContent,
    });
    const whole = content.result({
      content: [{ type: "text", text: "two" }],
      structuredContent: { n: 2 },
    });
    expect(await sent(whole, counted)).toEqual({ content: texts("two"), structuredContent });
  });

  test("a failure needs no structured content", async () => {
    expect(await sent(content.error("empty"), counted)).toMatchObject({ isError: true });
  });
});

function cycle(): object {
  const round: Record<string, unknown> = {};
  round["again"] = round;
  return round;
}

describe("a result that cannot be sent fails the tool with the reason", () => {
  test.each([
    ["a cycle", cycle(), "has no JSON form (Converting circular structure to JSON)"],
    ["a BigInt", { n: 1n }, "has no JSON form (Do not know how to serialize a BigInt)"],
    ["a function", () => 1, "has no JSON form (function)"],
    ["a symbol", Symbol("s"), "has no JSON form (symbol)"],
    ["content among plain values", [content.text("a"), "b"], "mixes MCP content and plain values"],
    [
      "a foreign block of no known type",
      content.result({ content: [{ type: "video" }] } as never),
      "does not have MCP's form",
    ],
    ["an image that is not base64", content.image("%%%", "image/png"), "does not have MCP's form"],
  ])("%s", async (_, returned, words) => {
    await expect(toResult(tool, returned)).rejects.toMatchObject({
      name: "IPCToolExecutionError",
      code: "tool_failed",
      message: expect.stringContaining(words),
    });
  });

  test.each([
    ["of the wrong type", { n: "2" }, "output schema: n: expected number, received string"],
    ["that is nothing", undefined, "lacks the structured content"],
    ["of content alone", content.text("2"), "lacks the structured content"],
    ["without structure", content.result({ content: [] }), "lacks the structured content"],
  ])("a result %s", async (_, returned, words) => {
    await expect(toResult(counted, returned)).rejects.toThrow(words);
  });
});

import { expect, test } from "vitest";
import { content, isMarkedBlock, isMarkedResult } from "./make-mcp-content.ts";

test("each content helper makes a block of MCP's form", () => {
  const bytes = new Uint8Array([0, 1, 2, 255]).subarray(1);
  const blocks = [
    content.text("hello"),
    content.image(bytes, "image/png"),
    content.audio("AQI=", "audio/wav"),
    content.resource("file:///a.txt", "text of a", "text/plain"),
    content.resource("file:///b.bin", bytes),
    content.resourceLink({ uri: "file:///c", name: "c", mimeType: "text/csv" }),
  ];
  expect(JSON.parse(JSON.stringify(blocks))).toEqual([
    { type: "text", text: "hello" },
    { type: "image", data: "AQL/", mimeType: "image/png" },
    { type: "audio", data: "AQI=", mimeType: "audio/wav" },
    {
      type: "resource",
      resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "text of a" },
    },
    { type: "resource", resource: { uri: "file:///b.bin", blob: "AQL/" } },
    { type: "resource_link", uri: "file:///c", name: "c", mimeType: "text/csv" },
  ]);
  expect(blocks.every(isMarkedBlock)).toBe(true);
});

test("content.result and content.error make results, not blocks", () => {
  const result = content.result({ content: [], structuredContent: { n: 1 } });
  expect(isMarkedResult(result)).toBe(true);
  expect(isMarkedBlock(result)).toBe(false);
  expect(JSON.parse(JSON.stringify(content.error("no such city")))).toEqual({
    content: [{ type: "text", text: "no such city" }],
    isError: true,
  });
});

test("JSON of the same shape is not content", () => {
  for (const value of [{ type: "text", text: "hello" }, { content: [] }, null, "text", []]) {
    expect(isMarkedBlock(value) || isMarkedResult(value)).toBe(false);
  }
});

test("a copy of content is content, also from another copy of the module", async () => {
  expect(isMarkedBlock({ ...content.text("hello") })).toBe(true);
  const path = "./make-mcp-content.ts?copy";
  const other = (await import(path)) as { content: typeof content };
  expect(other.content).not.toBe(content);
  expect(isMarkedBlock(other.content.text("hello"))).toBe(true);
});

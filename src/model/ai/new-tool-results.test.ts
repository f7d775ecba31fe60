import type { LanguageModelV4Prompt, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { newResults } from "./new-tool-results.ts";

const result = (toolCallId: string, output: LanguageModelV4ToolResultOutput) =>
  ({ type: "tool-result", toolCallId, toolName: "t", output }) as const;

/** The result that a call gets for an output. */
function resultOf(output: LanguageModelV4ToolResultOutput): unknown {
  const prompt: LanguageModelV4Prompt = [
    { role: "tool", content: [result("old", { type: "text", value: "old" })] },
    { role: "assistant", content: [] },
    { role: "tool", content: [result("new", output)] },
  ];
  const results = newResults(prompt);
  expect([...results.keys()]).toEqual(["new"]);
  return JSON.parse(JSON.stringify(results.get("new")));
}

const text = (words: string) => ({ type: "text", text: words });
const image = { type: "data", data: "AAAA" } as const;

test.each<[string, LanguageModelV4ToolResultOutput, object]>([
  ["text", { type: "text", value: "a" }, { content: [text("a")] }],
  ["json", { type: "json", value: { a: [1] } }, { content: [text('{"a":[1]}')] }],
  ["an error", { type: "error-text", value: "no" }, { content: [text("no")], isError: true }],
  [
    "an error of JSON",
    { type: "error-json", value: [1] },
    { content: [text("[1]")], isError: true },
  ],
  [
    "a denial",
    { type: "execution-denied", reason: "not today" },
    { content: [text("The user denied this call: not today")], isError: true },
  ],
  [
    "content",
    {
      type: "content",
      value: [
        { type: "text", text: "The shop:" },
        { type: "file", data: image, mediaType: "image/png" },
        { type: "file", data: image, mediaType: "application/pdf", filename: "a.pdf" },
        { type: "file", data: { type: "url", url: new URL("https://x.test/y") }, mediaType: "a/b" },
        { type: "file", data: { type: "text", text: "notes" }, mediaType: "text/plain" },
        { type: "file", data: { type: "data", data: "YTvDvA==" }, mediaType: "text/csv" },
        { type: "file", data: { type: "reference", reference: {} }, mediaType: "a/b" },
        { type: "custom" },
      ],
    },
    {
      content: [
        text("The shop:"),
        { type: "image", data: "AAAA", mimeType: "image/png" },
        {
          type: "resource",
          resource: { uri: "file:///a.pdf", mimeType: "application/pdf", blob: "AAAA" },
        },
        { type: "resource_link", uri: "https://x.test/y", name: "file", mimeType: "a/b" },
        text("notes"),
        text("a;ü"),
        text("[A file of type a/b cannot be shown here.]"),
        text("[A part of the result cannot be shown here.]"),
      ],
    },
  ],
])("%s becomes the result of its call", (_name, output, expected) => {
  expect(resultOf(output)).toMatchObject(expected);
});

import { expect, test } from "vitest";
import { toolOutputOf } from "./tool-output.ts";

test("toolOutputOf returns a text, and blocks when they hold more", () => {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA" } };
  expect(toolOutputOf("plain")).toEqual({ output: "plain" });
  expect(
    toolOutputOf([
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ]),
  ).toEqual({
    output: "a\nb",
  });
  expect(toolOutputOf([{ type: "text", text: "a" }, image])).toEqual({
    output: "a",
    content: [{ type: "text", text: "a" }, image],
  });
  // What this version has no name for is not hidden.
  expect(toolOutputOf([{ type: "novel", thing: 1 }])).toEqual({
    output: '{"type":"novel","thing":1}',
  });
});

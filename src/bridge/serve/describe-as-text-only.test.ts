import { expect, test } from "vitest";
import { parseIpcResponse } from "../../wire/ipc.ts";
import { content } from "../tool/make-mcp-content.ts";
import { textOnly } from "./describe-as-text-only.ts";

const bytes = new Uint8Array(1_000);

test.each([
  [content.text("hello"), "hello"],
  [content.image(bytes, "image/png"), "[image: image/png, 1000 bytes]"],
  [content.audio(bytes, "audio/wav"), "[audio: audio/wav, 1000 bytes]"],
  [content.resource("file:///a.txt", "text of a"), "text of a"],
  [
    content.resource("file:///a.bin", bytes),
    "[resource: file:///a.bin, application/octet-stream, 1000 bytes]",
  ],
  [content.resourceLink({ uri: "file:///a", name: "a" }), "[resource: file:///a (a)]"],
])("a block becomes text that says what it was: %j", (block, text) => {
  const result = textOnly({ content: [block] });
  expect(result).toEqual({ content: [{ type: "text", text }], isError: false });
  expect(parseIpcResponse({ result }).ok).toBe(true);
});

test("textOnly never returns an empty list, and keeps a failure a failure", () => {
  expect(textOnly({ content: [], isError: true })).toEqual({
    content: [{ type: "text", text: "" }],
    isError: true,
  });
});

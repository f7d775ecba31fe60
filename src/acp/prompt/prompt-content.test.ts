import type { ContentBlock } from "@agentclientprotocol/sdk";
import { expect, test } from "vitest";
import { contentOfPrompt } from "./prompt-content.ts";

const link = (uri: string): ContentBlock => ({ type: "resource_link", name: "a.ts", uri });
const read = (...prompt: ContentBlock[]) => contentOfPrompt({ sessionId: "s", prompt });

const rows: [ContentBlock[], unknown][] = [
  [[{ type: "text", text: "/compact" }], "/compact"],
  [[{ type: "text", text: "Look at" }, link("file:///w/a.ts")], "Look at\n@/w/a.ts"],
  [[link("file:///w/my%20a.ts#L3:9")], '@"/w/my a.ts#L3-9"'],
  [[link("file:///w/a.ts#L3")], "@/w/a.ts#L3"],
  [[link("zed://thread/1")], "[@a.ts](zed://thread/1)"],
  [
    [{ type: "resource", resource: { uri: "zed://b", text: "words" } }],
    '<context ref="zed://b">\nwords\n</context>',
  ],
  [
    [
      { type: "text", text: "" },
      { type: "image", data: "AA==", mimeType: "image/png" },
    ],
    [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } }],
  ],
  [
    [
      {
        type: "resource",
        resource: { uri: "file:///a.pdf", blob: "AA==", mimeType: "application/pdf" },
      },
    ],
    [
      {
        type: "document",
        title: "file:///a.pdf",
        source: { type: "base64", media_type: "application/pdf", data: "AA==" },
      },
    ],
  ],
];

test.each(rows)("`contentOfPrompt` reads %j as %j", (prompt, content) => {
  expect(read(...prompt)).toEqual(content);
});

test.each<ContentBlock[][]>([
  [[]],
  [[{ type: "text", text: "" }]],
  [[{ type: "audio", data: "AA==", mimeType: "audio/wav" }]],
  [
    [
      {
        type: "resource",
        resource: { uri: "file:///a.zip", blob: "AA==", mimeType: "application/zip" },
      },
    ],
  ],
])("`contentOfPrompt` refuses %j", (prompt) => {
  expect(() => read(...prompt)).toThrow(expect.objectContaining({ code: "invalid_params" }));
});
